import type { InputField, ReadableOperation } from "../../lib/api/reading.ts";
import type { JsonSchema } from "../../lib/api/schemas.ts";
import type { Texts } from "../../lib/texts/texts.ts";

interface Props<Value> {
  value: Value;
  texts: Texts["apiDocs"];
}

/** One route of the API: what it needs, what it returns, and an example. */
export function ApiOperation({ value, texts }: Props<ReadableOperation>) {
  const { id, method, path, operation, fields } = value;
  const limit = operation["x-limit"];
  const isPublic = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  const scope = operation.security.find(({ token }) => token)?.token[0];
  return (
    <section class="card operation" id={id}>
      <h3>{operation.summary}</h3>
      <p>
        <code class="route">
          <strong>{method}</strong> {path}
        </code>
      </p>
      {operation.description && (
        <p>
          <WithCode text={operation.description} />
        </p>
      )}
      <p class="meta">
        {isPublic ? texts.isPublic : texts.needsSession}
        {scope && <TokenScope scope={scope} texts={texts} />}
        {limit && ` · ${texts.limit(limit.requests, Math.ceil(limit.seconds / 60))}`}
      </p>
      {fields.length > 0 && <Fields value={fields} texts={texts} />}
      <Responses value={value} texts={texts} />
      <Example value={value} texts={texts} />
    </section>
  );
}

function TokenScope({ scope, texts }: { scope: string; texts: Texts["apiDocs"] }) {
  return (
    <span>
      {" "}
      {texts.orToken} <code>{scope}</code>
    </span>
  );
}

function Fields({ value: fields, texts }: Props<InputField[]>) {
  return (
    <table class="fields">
      <caption>{texts.input}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{texts.rules}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              <code>{field.name}</code>
            </th>
            <td>
              {rulesOf(field, texts)}
              {field.description && (
                <span class="meta field-note">
                  <WithCode text={field.description} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Responses({ value: { responses }, texts }: Props<ReadableOperation>) {
  return (
    <table class="responses">
      <caption>{texts.responses}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.status}</th>
          <th scope="col">{texts.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {responses.map(({ status, description }) => (
          <tr key={status}>
            <th scope="row">{status}</th>
            <td>
              <WithCode text={description} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Example({ value: { curl, isOpenedInBrowser, result }, texts }: Props<ReadableOperation>) {
  return (
    <>
      <h4>{texts.example}</h4>
      {isOpenedInBrowser && <p>{texts.openInBrowser}</p>}
      <pre><code>{curl}</code></pre>
      {result && (
        <details>
          <summary>{texts.exampleResponse(result.status)}</summary>
          <pre><code>{result.text}</code></pre>
        </details>
      )}
    </>
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
    main.format === "binary" ? texts.file : main.enum ? texts.oneOf(main.enum.join(", ")) : main.format ?? main.type,
    main.maxLength === undefined ? null : texts.lengths(main.minLength, main.maxLength),
    main.minimum === undefined ? null : texts.bounds(main.minimum, main.maximum),
    isNullable ? texts.orNull : null,
  ].filter(Boolean).join(", ");
}

/** A text whose parts between backticks are code. As a component, because Preact would escape an array of texts twice. */
function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) => index % 2 === 1 ? <code key={index}>{part}</code> : part);
}
