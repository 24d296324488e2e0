import { presignedPutOnly, servedOnly } from "../../lib/web/files/object_upload.ts";
import { privateFileHeaders } from "../../lib/web/files/private_file.ts";

export const handler = [privateFileHeaders, servedOnly, presignedPutOnly];
