import { presignedPutOnly } from "../../lib/http/files/object_upload.ts";

export const handler = presignedPutOnly;
