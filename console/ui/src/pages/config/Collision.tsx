import { Alert, Button, Segmented } from 'antd';
import { useMemo, useState } from 'react';
import { authorOf, type Config } from '../../api/configs';
import { Dialog } from '../../components/Dialog';
import { isNarrow } from '../../editor/Compare';
import { DiffView } from '../../editor/lazy';
import { merge3 } from '../../editor/merge3';
import { moment, t } from '../../i18n';
import { GrayStays } from './Gray';

type Compared = 'result' | 'theirs' | 'mine';

/** Two people changed the same version: what each did to it, and one text to publish instead of both. */
export function Collision(props: {
  base: Config;
  theirs: Config;
  mine: string;
  type: string;
  busy: boolean;
  publish: (content: string) => void;
  takeTheirs: () => void;
  close: () => void;
}) {
  const { base, theirs, mine, type } = props;
  const merged = useMemo(() => merge3(base.content, mine, theirs.content), [base, mine, theirs]);
  const [result, setResult] = useState(merged ?? mine);
  const [unified] = useState(isNarrow);
  const [compared, setCompared] = useState<Compared>('result');
  return (
    <Dialog
      width="min(1500px, 97vw)"
      style={{ top: 24 }}
      mask={{ closable: false }}
      onCancel={props.close}
      title={t('Two people changed this configuration')}
      footer={
        <>
          <Button onClick={props.close}>{t('Continue editing')}</Button>
          <Button onClick={props.takeTheirs}>{t('Use their version')}</Button>
          <Button type="primary" loading={props.busy} onClick={() => props.publish(result)}>
            {t('Publish the result')}
          </Button>
        </>
      }
    >
      <Alert
        type={merged === undefined ? 'warning' : 'info'}
        showIcon
        style={{ marginBottom: 12 }}
        title={
          merged === undefined
            ? t('Both changed the same lines: resolve the conflict by hand, on the right.')
            : t('The changes do not conflict: the result on the right contains both.')
        }
        description={t('Theirs was stored at {when} {who}. Nothing has been overwritten.', { when: moment(theirs.modifyTime), who: authorOf(theirs) })}
      />
      <GrayStays releases={theirs.grayReleases} />
      <Segmented<Compared>
        value={compared}
        onChange={setCompared}
        style={{ marginBottom: 8 }}
        options={[
          { value: 'result', label: t('Theirs and the result') },
          { value: 'theirs', label: t('What they changed') },
          { value: 'mine', label: t('What I changed') },
        ]}
      />
      {compared === 'result' && (
        <DiffView key="result" left={theirs.content} right={result} leftTitle={t('Theirs, stored now')} rightTitle={t('Result, to be published')} type={type} unified={unified} onChange={setResult} />
      )}
      {compared === 'theirs' && (
        <DiffView key="theirs" left={base.content} right={theirs.content} leftTitle={t('Common base version')} rightTitle={t('Theirs, stored now')} type={type} unified={unified} />
      )}
      {compared === 'mine' && (
        <DiffView key="mine" left={base.content} right={mine} leftTitle={t('Common base version')} rightTitle={t('Mine')} type={type} unified={unified} />
      )}
    </Dialog>
  );
}
