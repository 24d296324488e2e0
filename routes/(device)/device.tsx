import { type Context, page } from "fresh";
import type { Principal } from "../../lib/access/principal.ts";
import type { ActiveSession } from "../../lib/access/session.ts";
import { findObstacle, type Obstacle } from "../../lib/authorization_server/authorize/next_step.ts";
import { allowDevice, claimDevice, denyDevice } from "../../lib/authorization_server/device/device_answer.ts";
import { DEVICE_PATH } from "../../lib/authorization_server/device/device_request.ts";
import { takeBack } from "../../lib/limits/rate_limit.ts";
import { type DeviceForm, DeviceFormSchema } from "../../lib/sign_in/schema.ts";
import { REQUIRED_PAGE } from "../../lib/web/authentication/current_session.ts";
import { requirePrincipal, requireSameUser } from "../../lib/web/authentication/require_user.ts";
import { clientsOfAddress } from "../../lib/web/middleware/limited_clients.ts";
import { underLimit } from "../../lib/web/middleware/rate_limit.ts";
import { confirmationPath, withNext } from "../../lib/web/pages/next_path.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { renderPage } from "../../lib/web/pages/page_viewer.ts";
import { askForProof, EMPTY_PROVEN_FORM, type ProvenFormState, submitWithProof } from "../../lib/web/pages/proof.ts";
import { define, type State } from "../../lib/web/state.ts";
import { AnsweredPage } from "./(_components)/AnsweredPage.tsx";
import { CodePage } from "./(_components)/CodePage.tsx";
import { DevicePage, type ShownDevice } from "./(_components)/DevicePage.tsx";
import { NoDeviceAccessPage } from "./(_components)/NoDeviceAccessPage.tsx";

/** What the address of the last page has: whether the person has allowed the device something. */
const ANSWERED = "answered";

/** People type the code of a device here, see what it asks for, and allow it or not. */
export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "device" }, {
  async GET(ctx) {
    const answered = ctx.url.searchParams.get(ANSWERED);
    const empty = { ...EMPTY_PROVEN_FORM, answered, shown: null };
    return (answered === null ? await askForProof(ctx) : null) ?? page(empty);
  },
  async POST(ctx) {
    const result = await submitWithProof(ctx, DeviceFormSchema, (form, principal) => submit(ctx, form, principal), {
      needsProof: ({ answer }) => answer === "allow",
      field: "userCode",
      errorText: ({ code }, { authorize }) => code === "INVALID_TOKEN" ? authorize.device.wrongCode : undefined,
    });
    return await withData(result, async (form) => ({ answered: null, shown: await findShown(ctx, form) }));
  },
});

/** Without an answer, the code is typed: it is reserved for this person. */
async function submit(ctx: Context<State>, form: DeviceForm, principal: Principal): Promise<Response> {
  const { services } = ctx.state;
  await requireSameUser(ctx, form.user);
  const device = await claimDevice(services, principal.user, form.userCode);
  if (form.answer === "cancel") {
    await denyDevice(services, principal, device);
    return ctx.redirect(`${DEVICE_PATH}?${ANSWERED}=denied`, 303);
  }
  const obstacle = await findObstacle(services, device, principal.session);
  if (obstacle !== null && obstacle.kind !== "noAccess") {
    return ctx.redirect(withNext(PAGES[obstacle.kind](principal.session), DEVICE_PATH), 303);
  }
  const { userCode } = form;
  if (obstacle !== null) {
    const content = (
      <NoDeviceAccessPage client={device.client} user={principal.user} userCode={userCode} {...ctx.state} />
    );
    return await renderPage(ctx, content, { status: 403 });
  }
  if (form.answer !== "allow") {
    const shown = { ...device, userCode, user: principal.user };
    return await renderPage(
      ctx,
      <DevicePage shown={shown} form={EMPTY_PROVEN_FORM} {...ctx.state} config={services.config} />,
    );
  }
  await allowDevice(services, principal, device);
  await takeBack(services, { policy: "device_start", clients: clientsOfAddress(device.address) }, device.createdAt);
  return ctx.redirect(`${DEVICE_PATH}?${ANSWERED}=allowed`, 303);
}

/** The pages that lead back here. The code stays reserved meanwhile. */
const PAGES: Record<Exclude<Obstacle["kind"], "noAccess">, (session: ActiveSession) => string> = {
  confirmAddress: ({ user }) => confirmationPath(user.email, null),
  setUpSecondFactor: () => REQUIRED_PAGE,
  proveSecondFactor: () => "/reauthenticate?second=true",
};

/** Finds the device again if the proof has expired since its page was shown. A wrong code counts here too. */
async function findShown(ctx: Context<State>, { code, values }: ProvenFormState): Promise<ShownDevice | null> {
  if (code !== "REAUTHENTICATION_REQUIRED" && code !== "PROOF_WRONG") return null;
  const { user } = await requirePrincipal(ctx);
  const { userCode = "" } = values;
  return { ...await underLimit(ctx, () => claimDevice(ctx.state.services, user, userCode)), userCode, user };
}

export default define.page<typeof handler>(function DeviceRoute({ data, state }) {
  const { answered, shown, ...form } = data;
  if (answered !== null) return <AnsweredPage isAllowed={answered === "allowed"} {...state} />;
  return shown === null
    ? <CodePage form={form} {...state} />
    : <DevicePage shown={shown} form={form} {...state} config={state.services.config} />;
});
