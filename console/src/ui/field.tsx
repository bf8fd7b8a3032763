// Labeled form fields on the component kit, with label, hint and error linked for screen readers.
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  TextField as AriaTextField,
  Button,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Switch,
  Text,
  TextArea,
  type TextFieldProps,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components';

interface FieldTexts {
  label: string;
  hint?: ReactNode;
  error?: string;
}

function Hint({ hint }: { hint?: ReactNode }) {
  return hint ? (
    <Text slot="description" className="hint">
      {hint}
    </Text>
  ) : null;
}

export function TextField({
  label,
  hint,
  error,
  placeholder,
  multiline,
  ...rest
}: TextFieldProps & FieldTexts & { placeholder?: string; multiline?: boolean }) {
  return (
    <AriaTextField {...rest} className="field" isInvalid={Boolean(error)} validationBehavior="aria">
      <Label>{label}</Label>
      {multiline ? (
        <TextArea placeholder={placeholder} spellCheck={false} />
      ) : (
        <Input placeholder={placeholder} spellCheck={false} />
      )}
      <Hint hint={hint} />
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface Choice<Value extends string = string> {
  value: Value;
  label: string;
  /** Small text at the right end, e.g. a count. */
  note?: string;
}

export function SelectField<Value extends string>({
  label,
  hint,
  choices,
  value,
  onChange,
  placeholder = 'Choose…',
  isDisabled,
}: FieldTexts & {
  choices: Choice<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  placeholder?: string;
  isDisabled?: boolean;
}) {
  return (
    <Select
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(key as Value)}
      isDisabled={isDisabled || choices.length === 0}
      placeholder={placeholder}
    >
      <Label>{label}</Label>
      <Button className="select-button">
        <SelectValue>
          {({ selectedText, defaultChildren }) =>
            choices.find((choice) => choice.value === value)?.label ?? (selectedText || defaultChildren)
          }
        </SelectValue>
        <ChevronDown size={16} aria-hidden />
      </Button>
      <Hint hint={hint} />
      <Popover className="popover">
        <ListBox className="listbox">
          {choices.map((choice) => (
            <ChoiceOption key={choice.value} choice={choice} />
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** A text field with suggestions that accepts any text. */
export function SuggestField({
  label,
  hint,
  error,
  choices,
  value,
  onChange,
  onChoose,
  onEnter,
  placeholder,
  opensOn = 'focus',
  autoFocus,
}: FieldTexts & {
  choices: Choice[];
  value: string;
  onChange: (text: string) => void;
  onChoose: (value: string) => void;
  /** Called on Enter with text that is not a suggestion. */
  onEnter?: () => void;
  placeholder?: string;
  /** When the suggestions show. */
  opensOn?: 'focus' | 'input';
  autoFocus?: boolean;
}) {
  return (
    <ComboBox
      className="field"
      inputValue={value}
      onInputChange={onChange}
      onChange={(key) => key !== null && onChoose(String(key))}
      // Text equal to a suggestion selects it; otherwise the kit would leave its list open.
      value={choices.some((choice) => choice.value === value) ? value : null}
      items={choices.map((choice) => ({ id: choice.value, ...choice }))}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger={opensOn}
      autoFocus={autoFocus}
      isInvalid={Boolean(error)}
    >
      <Label>{label}</Label>
      <div className="combo">
        <Input
          placeholder={placeholder}
          spellCheck={false}
          onKeyDown={(event) =>
            event.key === 'Enter' && event.currentTarget.getAttribute('aria-activedescendant') === null && onEnter?.()
          }
        />
        <Button className="button quiet icon small" aria-label="Show suggestions">
          <ChevronDown size={16} aria-hidden />
        </Button>
      </div>
      <Hint hint={hint} />
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover">
        <ListBox<Choice> className="listbox" renderEmptyState={() => <p className="option hint">No matches</p>}>
          {(choice) => <ChoiceOption choice={choice} />}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

function ChoiceOption({ choice }: { choice: Choice }) {
  return (
    <ListBoxItem id={choice.value} textValue={choice.label} className="option">
      {({ isSelected }) => (
        <>
          <span className="clip">{choice.label}</span>
          {isSelected ? <Check size={15} aria-hidden /> : <span className="hint">{choice.note}</span>}
        </>
      )}
    </ListBoxItem>
  );
}

export function SwitchField({
  children,
  isSelected,
  onChange,
  isDisabled,
}: {
  children: ReactNode;
  isSelected: boolean;
  onChange: (on: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <Switch className="switch" isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <span className="track" />
      {children}
    </Switch>
  );
}

/** A choice between a few options, all visible. */
export function Segments<Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <ToggleButtonGroup
      className="segments"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        if (key !== undefined) onChange(key as Value);
      }}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice.value} id={choice.value} className="segment">
          {choice.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
