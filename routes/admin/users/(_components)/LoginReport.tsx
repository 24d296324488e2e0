import type { AccountReport } from "../../../../lib/admin/account_report.ts";
import type { AccountActName } from "../../../../lib/admin/acts.ts";
import { type Hint, type Obstacle, reportLogin, type WayIn } from "../../../../lib/admin/login_report.ts";
import { adminEventText } from "../../../../lib/texts/admin_event_text.ts";
import { listFormat } from "../../../../lib/texts/formats.ts";
import { mailName } from "../../../../lib/texts/mail_name.ts";
import { type Language, type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { DOT, Moment } from "../../../../lib/ui/account/Origin.tsx";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";

interface LoginReportProps {
  report: AccountReport;
  language: Language;
}

type LoginTexts = Texts["adminAccount"]["login"];

/** Says in plain words whether the person can log in, what keeps them out, and where that is changed. */
export function LoginReport({ report, language }: LoginReportProps) {
  const { adminAccount: { login: texts, acts } } = textsIn(language);
  const { ways, obstacles, hints } = reportLogin(report);
  const list = listFormat(language.locale).format(ways.map((way) => wayText(way, texts)));
  return (
    <section class="card" aria-labelledby="login-title">
      <h2 id="login-title">{texts.title}</h2>
      {obstacles.length === 0 ? <p>{texts.can({ ways: list })}</p> : (
        <>
          <p>{texts.cannot}</p>
          <ul>
            {obstacles.map((obstacle) => {
              const { act, address } = remedyOf(obstacle);
              const query = address === null ? "" : `?${new URLSearchParams({ address })}`;
              return (
                <li key={`${obstacle.kind} ${address}`}>
                  {obstacleText(obstacle, texts)}{" "}
                  <a href={`/admin/users/${report.id}/${act}${query}`}>{acts[act].submit}</a>
                </li>
              );
            })}
          </ul>
          {ways.length > 0 && <p>{texts.otherwise({ ways: list })}</p>}
        </>
      )}
      {hints.map((hint) => <p key={hint.kind}>{hintText(hint, language, texts)}</p>)}
    </section>
  );
}

function wayText(way: WayIn, { ways }: LoginTexts): string {
  if (way.kind === "provider") return way.name;
  return way.kind === "passkeys" ? ways.passkeys({ count: way.count }) : ways[way.kind];
}

function remedyOf(obstacle: Obstacle): { act: AccountActName; address: string | null } {
  switch (obstacle.kind) {
    case "suspended":
      return { act: "unsuspend", address: null };
    case "unconfirmed":
      return { act: "resend-verification", address: null };
    case "limited":
      return { act: "clear-limits", address: obstacle.address };
    default:
      return { act: "send-reset", address: null };
  }
}

function obstacleText(obstacle: Obstacle, { obstacles: texts }: LoginTexts): string {
  switch (obstacle.kind) {
    case "suspended":
      return texts.suspended({ since: obstacle.since, reason: obstacle.reason ?? texts.noReason });
    case "limited": {
      const text = texts.limited[obstacle.act];
      return text({ address: obstacle.address ?? texts.here, until: obstacle.endsAt });
    }
    case "providersGone":
      return texts.providersGone({ names: obstacle.names.join(", ") });
    default:
      return texts[obstacle.kind];
  }
}

function hintText(hint: Hint, language: Language, { hints: texts }: LoginTexts) {
  switch (hint.kind) {
    case "closing": {
      const text = hint.isInvitation ? texts.closingInvitation : texts.closing;
      return hint.dueAt === null ? null : text({ dueAt: hint.dueAt });
    }
    case "secondStep":
      return texts.secondStep({ codes: hint.recoveryCodesLeft });
    case "secondFactorDue":
      return (hint.isOverdue ? texts.secondFactorOverdue : texts.secondFactorDue)({ dueAt: hint.dueAt });
    case "refused":
      return texts.refused({ answer: hint.answer });
    case "undelivered":
      return texts.undelivered({ mail: mailName(language, hint.mail.kind), attempts: hint.mail.attempts });
    case "failed": {
      const { createdAt, clientAddress } = hint.event;
      return (
        <>
          {texts.failed} <Moment date={createdAt} locale={language.locale} />
          {DOT + adminEventText(language, hint.event)}
          {clientAddress !== null && (
            <>
              {DOT}
              <Isolated isLtr>{clientAddress}</Isolated>
            </>
          )}
        </>
      );
    }
  }
}
