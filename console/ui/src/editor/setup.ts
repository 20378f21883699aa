import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { t } from '../i18n';
import { nonce } from '../nonce';

const light = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName], color: '#0b5e85' },
  { tag: [tags.string, tags.attributeValue], color: '#1a6b32' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: '#9a3412' },
  { tag: [tags.keyword, tags.tagName, tags.heading], color: '#7a2e8e' },
  { tag: [tags.comment, tags.meta], color: '#5f6b76', fontStyle: 'italic' },
]);

const dark = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName], color: '#79c7ee' },
  { tag: [tags.string, tags.attributeValue], color: '#8fd6a0' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: '#f0a875' },
  { tag: [tags.keyword, tags.tagName, tags.heading], color: '#d9a3ea' },
  { tag: [tags.comment, tags.meta], color: '#97a3ae', fontStyle: 'italic' },
]);

function colours(isDark: boolean): Extension {
  return EditorView.theme(
    {
      '&': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
      '.cm-content': { caretColor: 'var(--ink)' },
      '.cm-gutters': { backgroundColor: 'var(--soft)', color: 'var(--muted)', border: 'none' },
      '.cm-activeLine': { backgroundColor: isDark ? '#ffffff0a' : '#0e74900d' },
      '.cm-activeLineGutter': { backgroundColor: isDark ? '#ffffff12' : '#0e74901a' },
      '.cm-cursor': { borderLeftColor: 'var(--ink)' },
      '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
        backgroundColor: isDark ? '#1f4b57 !important' : '#bfe3ec !important',
      },
      '.cm-panels': { backgroundColor: 'var(--soft)', color: 'var(--ink)' },
      '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
      '.cm-collapsedLines': { background: 'var(--soft)', color: 'var(--muted)' },
      // The sign that comes with the editor is in few fonts.
      '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
    },
    { dark: isDark },
  );
}

/**
 * A browser that writes over a selection itself keeps the look of what was there in a style attribute, which the page's
 * policy refuses with an entry in the log. So a selection is replaced by the editor; what is composed stays the browser's.
 */
const overwrite = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { selection, readOnly } = view.state;
    if (event.inputType !== 'insertText' || !event.data || readOnly || view.composing || selection.ranges.every((range) => range.empty)) return false;
    const { from, to } = selection.main;
    const text = event.data;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** What all editors of the console have in common; a read-only one still can be selected, searched and scrolled. */
export function setup(options: { dark: boolean; readOnly: boolean; label: string }): Extension[] {
  return [
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorView.perLineTextDirection.of(true),
    EditorState.phrases.of({ '$ unchanged lines': t('$ unchanged lines') }),
    indentOnInput(),
    bracketMatching(),
    highlightSelectionMatches(),
    syntaxHighlighting(options.dark ? dark : light),
    colours(options.dark),
    options.readOnly ? [EditorState.readOnly.of(true)] : [overwrite, highlightActiveLine(), highlightActiveLineGutter()],
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      ...(options.readOnly ? {} : { 'aria-description': t('Esc, then Tab, leaves the text') }),
    }),
    EditorView.cspNonce.of(nonce),
    // Tab leaves the editor after Escape, as editors on the web do.
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, indentWithTab]),
  ];
}
