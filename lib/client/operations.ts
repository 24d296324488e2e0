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
  data: { userId: string | null; actorId: string | null; actor: string | null; details: Record<string, any> };
}

/**
 * Method and path of each operation, such as `GET /api/users/{id}`, by its name. `deno task settings`
 * writes the list.
 */
export const OPERATIONS: Record<string, string> = {
  listKeys: "GET /.well-known/jwks.json",
  getAuthorizationServer: "GET /.well-known/oauth-authorization-server",
  getProtectedResource: "GET /.well-known/oauth-protected-resource",
  getOpenidConfiguration: "GET /.well-known/openid-configuration",
  getAccount: "GET /api/account",
  closeAccount: "DELETE /api/account",
  listApps: "GET /api/account/apps",
  removeApp: "DELETE /api/account/apps/{id}",
  changeEmail: "POST /api/account/email",
  listEvents: "GET /api/account/events",
  exportAccount: "GET /api/account/export",
  listIdentities: "GET /api/account/identities",
  linkIdentity: "POST /api/account/identities",
  unlinkIdentity: "DELETE /api/account/identities/{id}",
  changePassword: "PUT /api/account/password",
  restoreAccount: "POST /api/account/restore",
  listSessions: "GET /api/account/sessions",
  endOtherSessions: "POST /api/account/sessions/end-others",
  endSession: "DELETE /api/account/sessions/{id}",
  listClients: "GET /api/admin/clients",
  createClient: "POST /api/admin/clients",
  changeClient: "PUT /api/admin/clients/{client}",
  deleteClient: "DELETE /api/admin/clients/{client}",
  endGrantsOf: "POST /api/admin/clients/{client}/end-grants",
  createClientSecret: "POST /api/admin/clients/{client}/secrets",
  deleteClientSecret: "DELETE /api/admin/clients/{client}/secrets/{n}",
  listAuditEvents: "GET /api/admin/events",
  listGroups: "GET /api/admin/groups",
  saveGroup: "PUT /api/admin/groups/{name}",
  deleteGroup: "DELETE /api/admin/groups/{name}",
  listGroupMembers: "GET /api/admin/groups/{name}/members",
  listMails: "GET /api/admin/mails",
  retryMail: "POST /api/admin/mails/{id}/retry",
  openUploadOf: "POST /api/admin/uploads/{id}/link",
  listAccounts: "GET /api/admin/users",
  getAccountOf: "GET /api/admin/users/{id}",
  removeAccount: "DELETE /api/admin/users/{id}",
  endSessionsOf: "POST /api/admin/users/{id}/end-sessions",
  extendSecondFactorOf: "POST /api/admin/users/{id}/extend-second-factor",
  setGroupsOf: "PUT /api/admin/users/{id}/groups",
  resendVerificationTo: "POST /api/admin/users/{id}/resend-verification",
  resetFactorsOf: "POST /api/admin/users/{id}/reset-factors",
  restoreAccountOf: "POST /api/admin/users/{id}/restore",
  changeRoleOf: "PUT /api/admin/users/{id}/role",
  sendResetTo: "POST /api/admin/users/{id}/send-reset",
  suspendAccount: "POST /api/admin/users/{id}/suspend",
  unsuspendAccount: "POST /api/admin/users/{id}/unsuspend",
  listWebhooks: "GET /api/admin/webhooks",
  createWebhook: "POST /api/admin/webhooks",
  deleteWebhook: "DELETE /api/admin/webhooks/{id}",
  listDeliveries: "GET /api/admin/webhooks/{id}/deliveries",
  sendDeliveryAgain: "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay",
  replaceWebhookSecret: "POST /api/admin/webhooks/{id}/rotate",
  checkHealth: "GET /api/health",
  checkLiveness: "GET /api/health/live",
  checkReadiness: "GET /api/health/ready",
  getApiDocument: "GET /api/openapi.json",
  listPasskeys: "GET /api/passkeys",
  addPasskey: "POST /api/passkeys",
  getPasskeyCreationOptions: "POST /api/passkeys/options",
  renamePasskey: "PATCH /api/passkeys/{id}",
  removePasskey: "DELETE /api/passkeys/{id}",
  getProfile: "GET /api/profile",
  updateProfile: "PUT /api/profile",
  listTokens: "GET /api/tokens",
  createToken: "POST /api/tokens",
  deleteToken: "DELETE /api/tokens/{id}",
  addTotp: "POST /api/totp",
  removeTotp: "DELETE /api/totp",
  confirmTotp: "POST /api/totp/confirm",
  replaceRecoveryCodes: "POST /api/totp/recovery-codes",
  uploadImage: "POST /api/upload/image",
  presignUpload: "POST /api/upload/presign",
  listUploads: "GET /api/uploads",
  deleteUpload: "DELETE /api/uploads/{id}",
  confirmUpload: "POST /api/uploads/{id}/confirm",
  createUploadLink: "POST /api/uploads/{id}/link",
  revokeUploadLinks: "DELETE /api/uploads/{id}/links",
  listUsers: "GET /api/users",
  inviteUser: "POST /api/users",
  getUser: "GET /api/users/{id}",
  sendSignInCode: "POST /auth/code",
  logInWithCode: "POST /auth/code/verify",
  confirmEmailChange: "POST /auth/confirm-email",
  sendPasswordReset: "POST /auth/forgot-password",
  logInWithLink: "POST /auth/link",
  logIn: "POST /auth/login",
  logOut: "POST /auth/logout",
  undoReportedChanges: "POST /auth/not-me",
  logInWithPasskey: "POST /auth/passkey",
  getPasskeyLoginOptions: "POST /auth/passkey/options",
  reauthenticate: "POST /auth/reauthenticate",
  sendReauthenticationCode: "POST /auth/reauthenticate/code",
  register: "POST /auth/register",
  resendVerification: "POST /auth/resend-verification",
  resetPassword: "POST /auth/reset-password",
  completeSecondFactor: "POST /auth/second-factor",
  createAccessToken: "POST /auth/token",
  verifyEmail: "POST /auth/verify-email",
};
