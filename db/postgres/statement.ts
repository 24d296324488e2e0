import pg from "pg";

/** What a connection knows of its named statements: the columns of their rows, by the name of the statement. */
export type Descriptions = Map<string, Columns>;

/** What {@linkcode Statement} needs of the driver, which does not declare it. */
interface DriverQuery {
  text: string;
  values?: unknown[];
  name?: string;
  callback(error: unknown, result?: pg.QueryResult): void;
  _result: Columns;
  _accumulateRows: boolean;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
}

/** The columns of the rows of a result, and how to parse them. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

interface Connection {
  describe(portal: unknown): void;
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery;

/** A statement to send, and what to call with its result. The server keeps a statement that has a name. */
export interface Sending {
  text: string;
  values: unknown[];
  name?: string;
  /** The error is null if the statement succeeded. */
  callback(error: unknown, result?: pg.QueryResult): void;
}

/**
 * A query of the driver, without a promise and without an object of options: the driver copies each option property by
 * property. Both together would take as long as parsing the rows of a small result.
 *
 * It asks the server only once per connection which columns a named statement returns. The
 * server refuses to run a plan whose columns have changed, so what it described stays true for that name. A profile costs a tenth
 * more without this. It relies on private fields: `driver_test.ts` fails when a new version of the driver changes them.
 */
export class Statement extends DriverQuery {
  readonly #descriptions: Descriptions;

  constructor({ text, values, name, callback }: Sending, descriptions: Descriptions) {
    super(text); // a string, because the driver copies any object property by property
    this.values = values;
    this.name = name;
    this.callback = callback;
    this.#descriptions = descriptions;
  }

  override prepare(connection: Connection): void {
    const columns = this.name === undefined ? undefined : this.#descriptions.get(this.name);
    if (columns === undefined) return super.prepare(connection);
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    super.prepare(Object.create(connection, WITHOUT_DESCRIBE));
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#descriptions.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

const WITHOUT_DESCRIBE = { describe: { value() {} } };
