import { page } from "fresh";
import type { ComponentChild } from "preact";
import { type FirstSteps, readFirstSteps } from "../lib/admin/setup_report.ts";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { isDeveloper } from "../lib/web/pages/mail_folder.ts";
import { pageAfterLogin } from "../lib/web/pages/next_path.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import type { Brand } from "../lib/brand/brand.ts";
import { Logo } from "../lib/ui/BrandLink.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { type Texts, textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  async GET(ctx) {
    if (await currentSession(ctx) !== null) return ctx.redirect(pageAfterLogin(ctx.state), 303);
    return page({ steps: isDeveloper(ctx) ? await readFirstSteps(ctx.state.services) : null });
  },
});

export default define.page<typeof handler>(function HomePage({ data: { steps }, state }) {
  const texts = textsIn(state.language).home;
  const isOpen = state.services.config.registration === "open";
  return (
    <Page title={texts.title} styles="/home.css">
      <p class="lead">{isOpen ? texts.lead : texts.leadClosed}</p>
      <p class="actions">
        <a class="button" href="/login">{texts.logIn}</a>
        {isOpen && <a class="button secondary" href="/register">{texts.createAccount}</a>}
      </p>
      {steps === null
        ? <EmptyDoor brand={state.services.config.brand} />
        : <Steps steps={steps} texts={texts.development} />}
    </Page>
  );
});

/** Decorative: the header has the logo as a link. */
function EmptyDoor({ brand }: { brand: Brand }) {
  return (
    <div class="door home-door" aria-hidden="true">
      <Logo logo={brand.logo} />
    </div>
  );
}

interface StepsProps {
  steps: FirstSteps;
  texts: Texts["home"]["development"];
}

/** What works and what is missing, for those who develop. */
function Steps({ steps, texts }: StepsProps) {
  const { isEmbedded, folder, keepsMails, hasAdmin, setupCommand, hasBrand, hasPeople, seedCommand } = steps;
  const all: [isDone: boolean, text: ComponentChild][] = [
    [true, isEmbedded ? texts.embedded({ folder, code: Code }) : texts.postgres],
    [true, keepsMails ? texts.mailsKept({ outbox: linkTo("/dev/outbox") }) : texts.mailsSent],
    [hasAdmin, hasAdmin ? texts.hasAdmin : texts.admin({ command: setupCommand, code: Code })],
    [hasBrand, hasBrand ? texts.hasBrand : texts.brand({ code: Code })],
  ];
  if (hasPeople) all.push([true, texts.hasPeople]);
  else if (seedCommand !== null) all.push([false, texts.seed({ command: seedCommand, code: Code })]);
  return (
    <section class="door home-door first-steps" aria-labelledby="development">
      <h2 id="development">{texts.title}</h2>
      <p class="meta">{texts.lead}</p>
      <ol>
        {all.map(([isDone, text], index) => (
          <li key={index}>
            <span class={isDone ? "check good" : "check"} aria-hidden="true">{isDone ? "✓" : index + 1}</span>
            <div>
              {isDone && <span class="visually-hidden">{`${texts.done} `}</span>}
              {text}
            </div>
          </li>
        ))}
      </ol>
      <p>{texts.pages({ api: linkTo("/docs"), mails: linkTo("/dev/emails") })}</p>
    </section>
  );
}

function Code(children: ComponentChild) {
  return <code>{children}</code>;
}

function linkTo(href: string) {
  return (children: ComponentChild) => <a href={href}>{children}</a>;
}
