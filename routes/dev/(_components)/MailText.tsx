/** The plain text of an email, with its URLs as links. */
export function MailText({ text }: { text: string }) {
  return (
    <p class="mail-text" dir="auto">
      <WithLinks text={text} />
    </p>
  );
}

/** It is a component because Preact would escape the strings of an array twice. */
function WithLinks({ text }: { text: string }) {
  return text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 1 ? <a key={index} href={part}>{part}</a> : part
  );
}
