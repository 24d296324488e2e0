import { page } from "fresh";
import { isAddressAssumed } from "../../lib/accounts/first_admin.ts";
import { type Account, getAccount } from "../../lib/accounts/own_account.ts";
import { type AvailableApp, listAvailableApps, withNames } from "../../lib/authorization_server/connected_apps.ts";
import { type ListedEvent, listEvents } from "../../lib/activity/event_list.ts";
import { hasUploads, type UploadsSetting } from "../../lib/config/uploads_setting.ts";
import { addressAudience, isAddressShown } from "../../lib/users/user_visibility.ts";
import { requirePrincipal } from "../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { OPTIONAL_FIELDS } from "../../lib/schemas/profile_rules.ts";
import { findNewestFiles, type LibraryFile } from "../../lib/uploads/library.ts";
import type { User } from "../../lib/users/user_row.ts";
import { hasMailFolder } from "../../lib/web/pages/has_mail_folder.ts";
import { OutboxLink } from "../../lib/ui/OutboxLink.tsx";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { ResendLink } from "../../lib/ui/account/ResendLink.tsx";
import { AppTile } from "./(_components)/AppTile.tsx";
import { EventRow } from "./(_components)/EventRow.tsx";
import { FileFacts, FileThumbnail } from "./(_components)/FileRow.tsx";
import { Times } from "../../lib/ui/list/Times.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { durationText } from "../../lib/texts/date_format.ts";
import { type Language, textsIn } from "../../lib/texts/texts.ts";
import { Isolated } from "../../lib/ui/Isolated.tsx";

/** How many files and events the page shows. */
const NEWEST = 3;

export const handler = pageHandlers({ who: "member", whileClosing: "refused" }, {
  GET: async (ctx) => {
    const { services } = ctx.state;
    const { config } = services;
    const { user, session } = await requirePrincipal(ctx);
    const [account, apps, isAssumed, files, { events }] = await Promise.all([
      getAccount(services, { user }),
      listAvailableApps(services, user),
      isAddressAssumed(services.db, user.id),
      hasUploads(config, "files") ? findNewestFiles(services, { user, limit: NEWEST }) : null,
      listEvents(services, { userId: user.id, limit: NEWEST }),
    ]);
    const { verifyTokenTtlSeconds: lifetimeSeconds } = config;
    const shownTo = isAddressShown(user, config) ? addressAudience(config) : null;
    const steps = stepsOf(user, account, config);
    const isConfirmed = user.emailVerified && !isAssumed;
    return page({
      user,
      isConfirmed,
      shownTo,
      lifetimeSeconds,
      apps,
      steps,
      files,
      events: events.map((event) => withNames(event, config)),
      sessionId: session.id,
    });
  },
});

/** What completes an account, and whether it is done. The address, which comes first, has a box of its own. */
function stepsOf({ avatar, ...user }: User, { passkeyCount }: Account, setting: UploadsSetting) {
  return {
    ...hasUploads(setting, "photos") && { addPhoto: avatar !== null },
    writeBio: OPTIONAL_FIELDS.some((field) => user[field] !== ""),
    addPasskey: passkeyCount > 0,
  };
}

type Steps = ReturnType<typeof stepsOf>;

const STEP_PAGES = {
  addPhoto: "/profile#photo",
  writeBio: "/profile",
  addPasskey: "/settings/sign-in-methods",
} satisfies Record<keyof Steps, string>;

export default define.page<typeof handler>(
  function DashboardPage({ data, state }) {
    const { language, services } = state;
    const { user, isConfirmed, shownTo, lifetimeSeconds, apps, steps, files, events, sessionId } = data;
    const { dashboard: texts, email: address, frame, signIn } = textsIn(language);
    const { name, email, avatar } = user;
    return (
      <Page
        title={texts.title({ name })}
        windowTitle={frame.dashboard}
        tellsNotice={!isConfirmed && state.notice === "registered"}
      >
        <Times locale={language.locale} />
        {!isConfirmed && (
          <section id="confirm" class="card callout warn">
            <h2>{texts.confirmTitle}</h2>
            <p>{texts.confirmText({ email, lifetime: durationText(lifetimeSeconds, language.locale) })}</p>
            <ResendLink email={email} texts={signIn} />
            {hasMailFolder(services) && <OutboxLink texts={frame} />}
          </section>
        )}
        <div class="beside">
          <div>
            <div class="account-line">
              <Avatar name={name} src={avatar} size={40} />
              <span>
                <span>
                  <Isolated isLtr>{email}</Isolated>
                </span>
                {shownTo && (
                  <span class="hint">
                    {address.visibility.isShown[shownTo]} <a href="/profile">{texts.changeVisibility}</a>
                  </span>
                )}
              </span>
            </div>
            <SetUp steps={steps} language={language} />
          </div>
          <div>
            {apps.length > 0 && <Apps apps={apps} language={language} />}
            {files !== null && <Files files={files} language={language} />}
            <Activity events={events} sessionId={sessionId} language={language} />
          </div>
        </div>
      </Page>
    );
  },
);

/** The apps that the person may open. */
function Apps({ apps, language }: { apps: AvailableApp[]; language: Language }) {
  const { dashboard: texts } = textsIn(language);
  return (
    <>
      <h2 id="apps-title">{texts.apps}</h2>
      <nav aria-labelledby="apps-title">
        <ul class="people">
          {apps.map(({ name, uri, logo }) => (
            <li key={uri + name}>
              <a class="card person-link" href={uri}>
                <AppTile name={name} logo={logo} />
                <span>
                  <span class="person-name">
                    <Isolated>{name}</Isolated>
                  </span>{" "}
                  <span class="meta">
                    <Isolated isLtr>{new URL(uri).host}</Isolated>
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}

/** What is left to do. Gone when all is done. */
function SetUp({ steps, language }: { steps: Steps; language: Language }) {
  const { dashboard: texts } = textsIn(language);
  const all = Object.entries(steps) as [keyof Steps, boolean][];
  const done = all.filter(([, isDone]) => isDone).length;
  if (done === all.length) return null;
  return (
    <>
      <div class="section-head">
        <h2>{texts.setUp}</h2>
        <p class="meta">{texts.done({ done, all: all.length })}</p>
      </div>
      <ul class="rows">
        {all.map(([step, isDone]) => (
          <li key={step}>
            <span class={isDone ? "check good" : "check"} aria-hidden="true">{isDone && "✓"}</span>
            <div>
              {isDone ? <p class="meta">{texts.steps[step].done}</p> : (
                <>
                  <a href={STEP_PAGES[step]}>{texts.steps[step].title}</a>
                  <p class="meta">{texts.steps[step].text}</p>
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Files({ files, language }: { files: LibraryFile[]; language: Language }) {
  const { dashboard: texts, library } = textsIn(language);
  return (
    <>
      <div class="section-head">
        <h2>{library.title}</h2>
        {files.length > 0 && <a href="/uploads">{texts.allFiles}</a>}
      </div>
      {files.length === 0
        ? (
          <div class="empty">
            <p>{texts.noFiles}</p>
            <a class="button secondary" href="/uploads">{texts.uploadFile}</a>
          </div>
        )
        : (
          <ul class="rows">
            {files.map((file) => (
              <li key={file.id}>
                <FileThumbnail {...file} />
                <div>
                  <a href={file.url}>
                    <Isolated>{file.name}</Isolated>
                  </a>
                  <FileFacts file={file} language={language} />
                </div>
              </li>
            ))}
          </ul>
        )}
    </>
  );
}

interface ActivityProps {
  events: ListedEvent[];
  sessionId: string;
  language: Language;
}

function Activity({ events, sessionId, language }: ActivityProps) {
  const { dashboard: texts } = textsIn(language);
  return (
    <>
      <div class="section-head">
        <h2>{texts.activity}</h2>
        <a href="/settings/activity">{texts.allActivity}</a>
      </div>
      <ul class="rows">
        {events.map((event) => (
          <EventRow key={event.id} event={event} isCurrent={event.sessionId === sessionId} language={language} />
        ))}
      </ul>
    </>
  );
}
