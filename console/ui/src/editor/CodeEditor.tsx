import { forceLinting, linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Text as Doc } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { t } from '../i18n';
import { useAppearance } from '../theme';
import { check } from './check';
import { highlighting } from './languages';
import { asEdited, asStored, lineEndingOf } from './lineEndings';
import { setup } from './setup';

/** What is shown anew was not typed here. */
const shownAnew = Annotation.define<boolean>();

type Props = {
  value: string;
  type: string;
  label: string;
  onChange?: (value: string) => void;
  onProblems?: (problems: Diagnostic[]) => void;
  /** Finds what the type alone does not tell, when the content is well-formed. */
  check?: (content: string) => Promise<Diagnostic[]>;
  height?: string;
};

async function problemsOf(props: Props, doc: Doc): Promise<Diagnostic[]> {
  const problems = await check(props.type, doc);
  return props.check && problems.length === 0 ? props.check(doc.toString()) : problems;
}

export default function CodeEditor(props: Props) {
  const { value, type, label, height = '56vh' } = props;
  const dark = useAppearance() === 'dark';
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const language = useRef(new Compartment());
  const latest = useRef(props);
  latest.current = props;
  // An editor knows one way to end a line; the text keeps its own, also while it has one line only.
  const ending = useRef(lineEndingOf(value));
  ending.current = lineEndingOf(value) ?? ending.current;

  useEffect(() => {
    const readOnly = !latest.current.onChange;
    const created = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          setup({ dark, readOnly, label: latest.current.label }),
          language.current.of([]),
          readOnly
            ? []
            : [
                lintGutter(),
                linter(
                  async (view) => {
                    const problems = await problemsOf(latest.current, view.state.doc).catch(() => []);
                    latest.current.onProblems?.(problems);
                    return problems;
                  },
                  { delay: 350 },
                ),
                EditorView.updateListener.of((update) => {
                  if (!update.docChanged || update.transactions.some((each) => each.annotation(shownAnew))) return;
                  latest.current.onChange?.(asStored(update.state.doc.toString(), ending.current));
                }),
              ],
        ],
      }),
    });
    editor.current = created;
    return () => created.destroy();
  }, [dark, label]);

  useEffect(() => {
    let stale = false;
    void highlighting(type).then((found) => {
      const view = editor.current;
      if (stale || !view) return;
      view.dispatch({ effects: language.current.reconfigure(found) });
      forceLinting(view);
    });
    return () => {
      stale = true;
    };
  }, [type, dark, label]);

  useEffect(() => {
    const view = editor.current;
    const wanted = asEdited(value);
    if (view && view.state.doc.toString() !== wanted) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: wanted }, annotations: shownAnew.of(true) });
    }
  }, [value]);

  return (
    <>
      <div ref={host} className="editor" dir="auto" style={{ height }} />
      {props.onChange && <div className="editor-hint muted" aria-hidden>{t('Esc, then Tab, leaves the text')}</div>}
    </>
  );
}
