import type { ComponentChild } from "preact";
import type { InputField, ReadableOperation } from "../../lib/api/reading.ts";
import type { JsonSchema } from "../../lib/api/schemas.ts";
import type { Texts } from "../../lib/texts/texts.ts";
import { WithCode } from "./WithCode.tsx";
import { Isolated } from "../../lib/ui/Isolated.tsx";

/** What the API document says is in English, also on pages in other languages. */
const IN_ENGLISH = { lang: "en", dir: "ltr" } as const;

interface Props<Value> {
  value: Value;
  texts: Texts["apiDocs"];
}

/** One route of the API: what it needs, what it returns, and an example. */
export function ApiOperation({ value, texts }: Props<ReadableOperation>) {
  const { id, method, path, operation, fields, responses } = value;
  return (
    <section class="card operation" id={id}>
      <div>
        <h3 {...IN_ENGLISH}>{operation.summary}</h3>
        <p dir="ltr">
          <code class="route">
            <strong>{method}</strong> {path}
          </code>
        </p>
        {operation.description && (
          <p {...IN_ENGLISH}>
            <WithCode text={operation.description} texts={texts} />
          </p>
        )}
        <Access value={operation} texts={texts} />
        {fields.length > 0 && <Fields value={fields} texts={texts} />}
        <Responses value={responses} texts={texts} />
      </div>
      <Example value={value} texts={texts} />
    </section>
  );
}

function Access({ value: operation, texts }: Props<ReadableOperation["operation"]>) {
  const limit = operation["x-limit"];
  const { security } = operation;
  const isPublic = security.some((scheme) => Object.keys(scheme).length === 0);
  const scope = security.find(({ token }) => token)?.token[0];
  return (
    <p class="meta">
      {security.some(({ client }) => client)
        ? texts.needsClient
        : security.every(({ accessToken }) => accessToken)
        ? texts.needsAccessToken
        : <Caller isPublic={isPublic} scope={scope} texts={texts} />}
      {limit && ` · ${texts.limit({ requests: limit.requests, minutes: Math.ceil(limit.seconds / 60) })}`}
    </p>
  );
}

interface CallerProps {
  isPublic: boolean;
  scope: string | undefined;
  texts: Texts["apiDocs"];
}

/** Who may call it. It is a component because Preact would escape an array of texts twice. */
function Caller({ isPublic, scope, texts }: CallerProps) {
  if (scope === undefined) return isPublic ? texts.isPublic : texts.needsSession;
  const text = isPublic ? texts.isPublicOrToken : texts.needsSessionOrToken;
  return text<ComponentChild>({ scope, code: (children) => <code>{children}</code> });
}

function Fields({ value: fields, texts }: Props<InputField[]>) {
  return (
    <>
      <h4>{texts.input}</h4>
      <dl>
        {fields.map((field) => (
          <>
            <dt>
              <code>{field.name}</code>
            </dt>
            <dd>
              <Isolated>{rulesOf(field, texts)}</Isolated>
              {field.description && (
                <p {...IN_ENGLISH} class="meta">
                  <WithCode text={field.description} texts={texts} />
                </p>
              )}
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}

function Responses({ value: responses, texts }: Props<ReadableOperation["responses"]>) {
  return (
    <>
      <h4>{texts.responses}</h4>
      <dl>
        {responses.map(({ status, description }) => (
          <>
            <dt>{status}</dt>
            <dd {...IN_ENGLISH}>
              <WithCode text={description} texts={texts} />
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}

function Example({ value: { curl, isOpenedInBrowser, result }, texts }: Props<ReadableOperation>) {
  return (
    <div>
      <h4>{texts.example}</h4>
      {isOpenedInBrowser && <p>{texts.openInBrowser}</p>}
      <pre><code>{curl}</code></pre>
      {result && (
        <details>
          <summary>{texts.exampleResponse({ status: result.status })}</summary>
          <pre><code>{result.text}</code></pre>
        </details>
      )}
    </div>
  );
}

/** The rules of a field in a few words, such as "required, 2 to 100 characters". */
function rulesOf({ place, isRequired, schema }: InputField, texts: Texts["apiDocs"]): string {
  const places = { path: texts.inPath, query: texts.inQuery, header: texts.inHeader, body: null };
  const types = (schema.anyOf as JsonSchema[] | undefined) ?? [schema];
  const main = types[0];
  const isNullable = types.some(({ type }) => type === "null");
  return [
    places[place],
    isRequired && place !== "path" ? texts.required : null,
    main.format === "binary"
      ? texts.file
      : main.enum
      ? texts.oneOf({ values: main.enum.join(`${texts.comma} `) })
      : main.format ?? main.type,
    main.maxLength === undefined ? null : lengthText(main.minLength, main.maxLength, texts),
    main.minimum === undefined ? null : boundText(main.minimum, main.maximum, texts),
    isNullable ? texts.orNull : null,
  ].filter(Boolean).join(`${texts.comma} `);
}

function lengthText(min: number | undefined, max: number, texts: Texts["apiDocs"]): string {
  return min === undefined ? texts.lengthAtMost({ max }) : texts.lengths({ min, max });
}

function boundText(min: number, max: number | undefined, texts: Texts["apiDocs"]): string {
  return max === undefined ? texts.atLeast({ min }) : texts.bounds({ min, max });
}
