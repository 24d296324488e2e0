import { signedForPutOnly } from "../../lib/http/object_upload.ts";

export const handler = signedForPutOnly;
