import { Alert, Button, Descriptions, Input } from 'antd';
import { useState } from 'react';
import { access, type Explained } from '../../api/access';
import { Dialog } from '../../components/Dialog';
import { useSingleAction } from '../../components/common';
import { moment, t } from '../../i18n';
import { actionText } from './Resource';

/** Asks the server whose a token is, and why it may do what it may. */
export function ExplainToken(props: { close: () => void }) {
  const [token, setToken] = useState('');
  const [answer, setAnswer] = useState<Explained>();
  const action = useSingleAction();
  const ask = async () => setAnswer(await action.run(() => access.explainToken(token.trim())));
  return (
    <Dialog width={720} title={t('What may a token do?')} onCancel={props.close} footer={<Button onClick={props.close}>{t('Close')}</Button>}>
      <Input.TextArea
        className="mono"
        aria-label={t('Token')}
        placeholder={t('A token of this server, or of its issuer')}
        rows={5}
        spellCheck={false}
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <Button type="primary" style={{ margin: '12px 0' }} disabled={token.trim() === ''} onClick={() => void ask()}>
        {t('Explain')}
      </Button>
      {answer && !answer.accepted && <Alert type="warning" showIcon role="alert" title={t('The server refuses this token')} description={answer.refusal} />}
      {answer?.accepted && (
        <Descriptions
          column={1}
          size="small"
          bordered
          items={[
            { key: 'who', label: t('User'), children: <bdi>{answer.username}</bdi> },
            ...(answer.source
              ? [
                  { key: 'source', label: t('Source'), children: <bdi className="wrap">{answer.source}</bdi> },
                  { key: 'subject', label: t('Subject'), children: <bdi className="wrap">{answer.subject}</bdi> },
                  { key: 'until', label: t('Expires'), children: moment(answer.expiresAt) },
                  { key: 'rules', label: t('Rules that match'), children: <Lines texts={answer.rules} /> },
                ]
              : []),
            { key: 'roles', label: t('Roles'), children: <Lines texts={answer.roles} /> },
            {
              key: 'permissions',
              label: t('Permissions'),
              children: answer.globalAdmin ? t('All, as an administrator') : <Lines texts={answer.permissions.map((right) => `${actionText(right.action)} ${right.resource}`)} />,
            },
          ]}
        />
      )}
    </Dialog>
  );
}

function Lines(props: { texts: string[] }) {
  if (props.texts.length === 0) return <span className="muted">{t('None')}</span>;
  return props.texts.map((text) => <div key={text} className="mono wrap">{text}</div>);
}
