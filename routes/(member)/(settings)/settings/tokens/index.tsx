import { type Context, page, type PageResponse } from "fresh";
import CopyToken from "../../../../../islands/CopyToken.tsx";
import { deleteToken, type ListedToken, listTokens } from "../../../../../lib/access/token_list.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../../../../lib/web/pages/form.ts";
import { withData } from "../../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { takeShownOnce } from "../../../../../lib/web/pages/shown_once.ts";
import { requirePrincipal, requireUser } from "../../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../lib/web/state.ts";
import { TokenDeletionFormSchema } from "../../../../../lib/access/schema.ts";
import { DOT, Moment } from "../../../../../lib/ui/account/Origin.tsx";
import { FormId } from "../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../lib/ui/form/FormMessage.tsx";
import { Row } from "../../../../../lib/ui/list/Row.tsx";
import { Times } from "../../../../../lib/ui/list/Times.tsx";
import type { UploadsSetting } from "../../../../../lib/config/uploads_setting.ts";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { tokenScopeTexts } from "../../../(_components)/token_scopes.ts";
import { type Language, textsIn } from "../../../../../lib/texts/texts.ts";
import { Isolated } from "../../../../../lib/ui/Isolated.tsx";

const PATH = "/settings/tokens";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  async GET(ctx) {
    const { secret, headers } = await takeShownOnce(ctx, PATH);
    return await withTokens(ctx, page(EMPTY_FORM, { headers }), secret);
  },
  async POST(ctx) {
    const result = await submitForm(ctx, TokenDeletionFormSchema, async ({ id }) => {
      await deleteToken(ctx.state.services, await requirePrincipal(ctx), id);
      return redirectWithNotice(ctx, PATH, "token_deleted");
    }, { errorText: ({ code }, { tokens }) => code === "NOT_FOUND" ? tokens.gone : undefined });
    return await withTokens(ctx, result, null);
  },
});

function withTokens(ctx: Context<State>, result: Response | PageResponse<FormState>, newToken: string | null) {
  return withData(result, async () => ({
    tokens: await listTokens(ctx.state.services, await requireUser(ctx)),
    newToken,
  }));
}

export default define.page<typeof handler>(function TokensPage({ data, state: { language, services: { config } } }) {
  const { tokens, newToken, message } = data;
  const { copyToken, frame, tokens: texts } = textsIn(language);
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError({ title: texts.title })}>
      <p>
        {texts.lead} <a href="/docs">{texts.guide}</a>
      </p>
      <Times locale={language.locale} />
      <FormMessage message={message} details={{}} labels={{}} />
      {newToken !== null && (
        <section class="card callout good" aria-labelledby="new-token">
          <h2 id="new-token">{texts.newToken}</h2>
          <p>{texts.neverAgain}</p>
          <CopyToken texts={copyToken} token={newToken} />
        </section>
      )}
      <p>
        <a class="button" href={`${PATH}/new`}>{texts.create}</a>
      </p>
      {tokens.length === 0 ? <p class="empty">{texts.none}</p> : (
        <ul class="rows">
          {tokens.map((token) => <Token key={token.id} token={token} language={language} config={config} />)}
        </ul>
      )}
    </Page>
  );
});

function Token({ token, language, config }: { token: ListedToken; language: Language; config: UploadsSetting }) {
  const { id, name, scopes, hint, createdAt, expiresAt, lastUsedAt } = token;
  const { tokens: texts } = textsIn(language);
  return (
    <Row
      icon="program"
      title={
        <h2>
          <Isolated>{name}</Isolated>
        </h2>
      }
      action={
        <form method="post" action={PATH}>
          <FormId />
          <button class="danger small" type="submit" name="id" value={id} aria-label={texts.deleteNamed({ name })}>
            {texts.delete}
          </button>
        </form>
      }
    >
      <p class="meta">
        <code>{hint}</code>
        {tokenScopeTexts(scopes, { config, texts }).map(([, text]) => DOT + text).join("")}
      </p>
      <p class="meta">
        {texts.created} <Moment date={createdAt} locale={language.locale} />
        {DOT}
        {lastUsedAt === null ? texts.neverUsed : (
          <>
            {texts.lastUsed} <Moment date={lastUsedAt} locale={language.locale} />
          </>
        )}
        {DOT + texts.expires} <Moment date={expiresAt} locale={language.locale} />
      </p>
    </Row>
  );
}
