import { SECOND_MS } from "../../lib/duration.ts";
import { startS3Server } from "../support/s3_server.ts";
import { openSharedTestApp } from "../support/test_app.ts";
import { UPLOAD_CASES } from "../support/upload_cases.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const app = await openSharedTestApp(server.env);
// The S3 server uses the real time.
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);

for (const [title, run] of Object.entries(UPLOAD_CASES)) Deno.test(`in a bucket, ${title}`, () => run(app));
