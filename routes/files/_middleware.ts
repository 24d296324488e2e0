import { presignedPutOnly } from "../../lib/web/files/object_upload.ts";

export const handler = presignedPutOnly;
