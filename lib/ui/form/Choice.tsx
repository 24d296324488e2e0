interface ChoiceProps<Value extends string> {
  name: string;
  label: string;
  value?: Value;
  /** What each value means. */
  options: [value: Value | "", text: string][];
  /** Whether only screen readers need the label. */
  isBare?: boolean;
}

/** A field with a list to choose from. */
export function Choice<Value extends string>({ name, label, value, options, isBare = false }: ChoiceProps<Value>) {
  const list = (
    <select id={name} name={name} aria-label={isBare ? label : undefined}>
      {options.map(([each, text]) => <option key={each} value={each} selected={each === (value ?? "")}>{text}</option>)}
    </select>
  );
  if (isBare) return list;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {list}
    </div>
  );
}
