import { Buffer } from "node:buffer";

/** The position of a color in the chromaticity diagram. */
export type Point = [x: number, y: number];
type Vector = [number, number, number];
/** Three columns. */
type Matrix = [Vector, Vector, Vector];

/** The colors of the channels, and that of white. */
export interface Gamut {
  primaries: [red: Point, green: Point, blue: Point];
  white: Point;
}

/** What samples mean. */
export interface ColorSpace extends Gamut {
  /** How values become light: the parameters of a curve of an ICC profile, which are the exponent or five numbers. */
  curve: number[];
}

/** The white of ICC profiles, as light. Source: ICC.1:2022, 7.2.16. */
const D50: Vector = [0.9642, 1, 0.8249];
/** Turns light into the responses of the eye's cones. Source: ICC.1:2022, annex E.3, Bradford. */
const CONES: Matrix = [[0.8951, -0.7502, 0.0389], [0.2664, 1.7135, -0.0685], [-0.1614, 0.0367, 1.0296]];

/** Whether three channels of these colors can make white. */
export function isGamut(gamut: Gamut): boolean {
  return columnsOf(gamut).flat().every(Number.isFinite);
}

/** Writes a color profile. Source: ICC.1:2022, 7 and 8. */
export function iccProfile(space: ColorSpace, { isGray }: { isGray: boolean }): Buffer {
  const kind = space.curve.length === 1 ? 0 : 3;
  const curve = Buffer.concat([Buffer.from("para\0\0\0\0"), Buffer.from([0, kind, 0, 0]), fixed(space.curve)]);
  const point = (light: Vector) => Buffer.concat([Buffer.from("XYZ \0\0\0\0"), fixed(light)]);
  const [rXYZ, gXYZ, bXYZ] = columnsOf(space).map(point);
  const wtpt = point(D50);
  const tags = isGray ? { wtpt, kTRC: curve } : { wtpt, rXYZ, gXYZ, bXYZ, rTRC: curve, gTRC: curve, bTRC: curve };
  const contents = Object.values(tags);
  const start = 132 + contents.length * 12;
  const entries = Object.keys(tags).map((name, i) => {
    const position = contents.slice(0, i).reduce((end, { length }) => end + length, start);
    return Buffer.concat([Buffer.from(name), uint32(position), uint32(contents[i].length)]);
  });
  const header = Buffer.alloc(128);
  uint32(contents.reduce((end, { length }) => end + length, start)).copy(header);
  Buffer.from(`\x04\x40\0\0mntr${isGray ? "GRAY" : "RGB "}XYZ `).copy(header, 8);
  Buffer.from("acsp").copy(header, 36);
  fixed(D50).copy(header, 68);
  return Buffer.concat([header, uint32(contents.length), ...entries, ...contents]);
}

/** Numbers with 16 bits after the point. */
function fixed(numbers: number[]): Buffer {
  return Buffer.concat(numbers.map((number) => uint32(Math.round(number * 0x10000))));
}

/** Negative numbers wrap around. */
function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** The light of each channel at its highest value, as seen under the white of ICC profiles. */
function columnsOf({ primaries, white }: Gamut): Matrix {
  const whole = lightOf(white);
  const lights = primaries.map(lightOf) as Matrix;
  const shares = times(inverse(lights), whole);
  const [from, to] = [times(CONES, whole), times(CONES, D50)];
  const underD50 = (light: Vector) =>
    times(inverse(CONES), times(CONES, light).map((cone, i) => cone * to[i] / from[i]) as Vector);
  return lights.map((light, i) => underD50(light.map((value) => value * shares[i]) as Vector)) as Matrix;
}

function lightOf([x, y]: Point): Vector {
  return [x / y, 1, (1 - x - y) / y];
}

function times(columns: Matrix, vector: Vector): Vector {
  return [0, 1, 2].map((row) => columns.reduce((sum, column, i) => sum + column[row] * vector[i], 0)) as Vector;
}

function inverse([a, b, c]: Matrix): Matrix {
  const [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
  const determinant = a.reduce((sum, value, i) => sum + value * bc[i], 0);
  return [0, 1, 2].map((i) => [bc[i], ca[i], ab[i]].map((value) => value / determinant)) as Matrix;
}

function cross([a, b, c]: Vector, [d, e, f]: Vector): Vector {
  return [b * f - c * e, c * d - a * f, a * e - b * d];
}
