import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { t } from '../i18n';
import { useAppearance } from '../theme';
import { highlighting } from './languages';
import { asStored, lineEndingOf } from './lineEndings';
import { setup } from './setup';

type Props = {
  left: string;
  right: string;
  leftTitle: string;
  rightTitle: string;
  type: string;
  unified?: boolean;
  /** Makes the right side an editor. */
  onChange?: (right: string) => void;
  /** Called when the differences stand there: what lies below them moves no more. */
  onShown?: () => void;
};

/** Two texts with their differences, side by side or as one column. */
export default function DiffView(props: Props) {
  const { left, right, type, unified, leftTitle, rightTitle } = props;
  const dark = useAppearance() === 'dark';
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const typed = useRef(right);
  const editable = !!props.onChange;

  useEffect(() => {
    let stale = false;
    let close = () => {};
    void highlighting(type).then((language) => {
      if (stale || !host.current) return;
      const doc = editable ? typed.current : latest.current.right;
      const side = (label: string, readOnly: boolean) => [setup({ dark, readOnly, label }), language, EditorView.lineWrapping];
      const listen = EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        typed.current = asStored(update.state.doc.toString(), lineEndingOf(latest.current.right));
        latest.current.onChange?.(typed.current);
      });
      const collapse = { margin: 3, minSize: 6 };
      const diffConfig = { scanLimit: 800, timeout: 1500 };
      if (unified) {
        const view = new EditorView({
          parent: host.current,
          state: EditorState.create({
            doc,
            extensions: [
              side(rightTitle, !editable),
              unifiedMergeView({ original: left, mergeControls: false, collapseUnchanged: collapse, diffConfig }),
              listen,
            ],
          }),
        });
        close = () => view.destroy();
      } else {
        const view = new MergeView({
          parent: host.current,
          a: { doc: left, extensions: side(leftTitle, true) },
          b: { doc, extensions: [side(rightTitle, !editable), listen] },
          collapseUnchanged: editable ? undefined : collapse,
          revertControls: editable ? 'a-to-b' : undefined,
          diffConfig,
          renderRevertControl: () => {
            const button = document.createElement('button');
            button.textContent = '→';
            button.title = t('Take this from the left');
            button.setAttribute('aria-label', button.title);
            return button;
          },
        });
        close = () => view.destroy();
      }
      latest.current.onShown?.();
    });
    return () => {
      stale = true;
      close();
    };
  }, [left, editable ? '' : right, type, unified, dark, leftTitle, rightTitle, editable]);

  return (
    <div>
      {!unified && (
        <div className="diff-heads">
          <span>{leftTitle}</span>
          <span>{rightTitle}</span>
        </div>
      )}
      <div ref={host} className="diff" />
    </div>
  );
}
