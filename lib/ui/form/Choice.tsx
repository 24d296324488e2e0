type Option<Value> = [value: Value | "", text: string];

interface ChoiceProps<Value extends string> {
  name: string;
  label: string;
  value?: Value;
  /** What each value means. */
  options: Option<Value>[];
  /** Further options below the names of their groups. */
  groups?: [name: string, options: Option<Value>[]][];
  /** Whether only screen readers need the label. */
  isBare?: boolean;
}

/** A field with a list to choose from. */
export function Choice<Value extends string>(
  { name, label, value = "" as Value, options, groups = [], isBare = false }: ChoiceProps<Value>,
) {
  const list = (
    <select id={name} name={name} aria-label={isBare ? label : undefined}>
      <Options options={options} value={value} />
      {groups.map(([group, options]) => (
        <optgroup key={group} label={group}>
          <Options options={options} value={value} />
        </optgroup>
      ))}
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

function Options<Value extends string>({ options, value }: { options: Option<Value>[]; value: Value }) {
  return options.map(([each, text]) => <option key={each} value={each} selected={each === value}>{text}</option>);
}
