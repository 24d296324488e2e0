/** What API tokens may be allowed to do. */
export { SCOPES } from "../schemas/scopes.ts";

/**
 * What an operation takes and returns, by its name. In the package, these are the exact types of the API document.
 */
// deno-lint-ignore no-explicit-any
export type Operations = Record<string, { input: Record<string, any>; output: any }>;

/** What a webhook gets. In the package, `data.details` has the exact type of its `type`. */
export interface WebhookEvent {
  id: string;
  type: string;
  timestamp: string;
  // deno-lint-ignore no-explicit-any
  data: { userId: string | null; actorId: string | null; details: Record<string, any> };
}

/**
 * Method and path of each operation, such as `GET /api/users/{id}`, by its name. `deno task settings`
 * writes the list.
 */
export const OPERATIONS: Record<string, string> = {
  listKeys: "GET /.well-known/jwks.json",
  getAuthorizationServer: "GET /.well-known/oauth-authorization-server",
  getOpenidConfiguration: "GET /.well-known/openid-configuration",
  removeApp: "DELETE /api/account/apps/{id}",
  listApps: "GET /api/account/apps",
  changeEmail: "POST /api/account/email",
  listEvents: "GET /api/account/events",
  exportAccount: "GET /api/account/export",
  unlinkIdentity: "DELETE /api/account/identities/{id}",
  listIdentities: "GET /api/account/identities",
  linkIdentity: "POST /api/account/identities",
  getAccount: "GET /api/account",
  closeAccount: "DELETE /api/account",
  changePassword: "PUT /api/account/password",
  restoreAccount: "POST /api/account/restore",
  endSession: "DELETE /api/account/sessions/{id}",
  endOtherSessions: "POST /api/account/sessions/end-others",
  listSessions: "GET /api/account/sessions",
  endGrantsOf: "POST /api/admin/clients/{client}/end-grants",
  listClients: "GET /api/admin/clients",
  listAuditEvents: "GET /api/admin/events",
  saveGroup: "PUT /api/admin/groups/{name}",
  deleteGroup: "DELETE /api/admin/groups/{name}",
  listGroupMembers: "GET /api/admin/groups/{name}/members",
  listGroups: "GET /api/admin/groups",
  retryMail: "POST /api/admin/mails/{id}/retry",
  listMails: "GET /api/admin/mails",
  openUploadOf: "POST /api/admin/uploads/{id}/link",
  endSessionsOf: "POST /api/admin/users/{id}/end-sessions",
  setGroupsOf: "PUT /api/admin/users/{id}/groups",
  getAccountOf: "GET /api/admin/users/{id}",
  removeAccount: "DELETE /api/admin/users/{id}",
  resendVerificationTo: "POST /api/admin/users/{id}/resend-verification",
  resetFactorsOf: "POST /api/admin/users/{id}/reset-factors",
  restoreAccountOf: "POST /api/admin/users/{id}/restore",
  changeRoleOf: "PUT /api/admin/users/{id}/role",
  sendResetTo: "POST /api/admin/users/{id}/send-reset",
  suspendAccount: "POST /api/admin/users/{id}/suspend",
  unsuspendAccount: "POST /api/admin/users/{id}/unsuspend",
  listAccounts: "GET /api/admin/users",
  sendDeliveryAgain: "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay",
  listDeliveries: "GET /api/admin/webhooks/{id}/deliveries",
  deleteWebhook: "DELETE /api/admin/webhooks/{id}",
  replaceWebhookSecret: "POST /api/admin/webhooks/{id}/rotate",
  listWebhooks: "GET /api/admin/webhooks",
  createWebhook: "POST /api/admin/webhooks",
  checkHealth: "GET /api/health",
  checkLiveness: "GET /api/health/live",
  checkReadiness: "GET /api/health/ready",
  getApiDocument: "GET /api/openapi.json",
  renamePasskey: "PATCH /api/passkeys/{id}",
  removePasskey: "DELETE /api/passkeys/{id}",
  listPasskeys: "GET /api/passkeys",
  addPasskey: "POST /api/passkeys",
  getPasskeyCreationOptions: "POST /api/passkeys/options",
  getProfile: "GET /api/profile",
  updateProfile: "PUT /api/profile",
  deleteToken: "DELETE /api/tokens/{id}",
  listTokens: "GET /api/tokens",
  createToken: "POST /api/tokens",
  confirmTotp: "POST /api/totp/confirm",
  addTotp: "POST /api/totp",
  removeTotp: "DELETE /api/totp",
  replaceRecoveryCodes: "POST /api/totp/recovery-codes",
  uploadImage: "POST /api/upload/image",
  presignUpload: "POST /api/upload/presign",
  confirmUpload: "POST /api/uploads/{id}/confirm",
  deleteUpload: "DELETE /api/uploads/{id}",
  createUploadLink: "POST /api/uploads/{id}/link",
  revokeUploadLinks: "DELETE /api/uploads/{id}/links",
  listUploads: "GET /api/uploads",
  getUser: "GET /api/users/{id}",
  listUsers: "GET /api/users",
  inviteUser: "POST /api/users",
  sendSignInCode: "POST /auth/code",
  logInWithCode: "POST /auth/code/verify",
  confirmEmailChange: "POST /auth/confirm-email",
  sendPasswordReset: "POST /auth/forgot-password",
  logIn: "POST /auth/login",
  logOut: "POST /auth/logout",
  undoReportedChanges: "POST /auth/not-me",
  logInWithPasskey: "POST /auth/passkey",
  getPasskeyLoginOptions: "POST /auth/passkey/options",
  sendReauthenticationCode: "POST /auth/reauthenticate/code",
  reauthenticate: "POST /auth/reauthenticate",
  register: "POST /auth/register",
  resendVerification: "POST /auth/resend-verification",
  resetPassword: "POST /auth/reset-password",
  completeSecondFactor: "POST /auth/second-factor",
  createAccessToken: "POST /auth/token",
  verifyEmail: "POST /auth/verify-email",
};
