import type { readableErrors } from "../../lib/api/reading.ts";
import type { Texts } from "../../lib/texts/texts.ts";
import { WithCode } from "./WithCode.tsx";

interface ErrorCodesProps {
  errors: ReturnType<typeof readableErrors>;
  texts: Texts["apiDocs"];
}

/** Every error code: its status, and what to do. Responses lead to these rows. */
export function ErrorCodes({ errors, texts }: ErrorCodesProps) {
  return (
    <>
      <h2 id="errors">{texts.errors}</h2>
      <p>
        <WithCode text={texts.errorsLead} texts={texts} />
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.code}</th>
            <th scope="col">{texts.status}</th>
            <th scope="col">{texts.whatToDo}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ code, status }) => (
            <tr id={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td>{status}</td>
              <td>
                <WithCode text={texts.remedies[code]} texts={texts} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
