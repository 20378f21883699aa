import { Tag } from 'antd';
import { useCallback, useState } from 'react';
import { clients, MOST_ASKED, type Held } from '../../api/clients';
import type { ConfigName } from '../../api/configs';
import { useSingleAction } from '../../components/common';
import { t } from '../../i18n';

/** A client's own answer, and what the server believed when it was asked. */
export type Answer = Held & { believed: string };

export type Question = { connectionId: string; md5: string };

/** Asks clients for the digests that they hold; the answers are kept until the view ends. */
export function useAsk() {
  const action = useSingleAction();
  const [answers, setAnswers] = useState(new Map<string, Answer>());
  const [asking, setAsking] = useState(false);
  const ask = useCallback(
    async (name: ConfigName, questions: Question[]) => {
      setAsking(true);
      await action.run(async () => {
        for (let from = 0; from < questions.length; from += MOST_ASKED) {
          const some = questions.slice(from, from + MOST_ASKED);
          const { data } = await clients.held(name, some.map((each) => each.connectionId));
          setAnswers((old) => {
            const next = new Map(old);
            for (const answer of data) next.set(keyOf(name, answer.connectionId), { ...answer, believed: some.find((each) => each.connectionId === answer.connectionId)?.md5 ?? '' });
            return next;
          });
        }
      });
      setAsking(false);
    },
    [action],
  );
  /** Without one that a newer content of the client has overtaken. */
  const answerOf = (name: ConfigName, { connectionId, md5 }: Question): Answer | undefined => {
    const answer = answers.get(keyOf(name, connectionId));
    return answer && answer.believed === md5 ? answer : undefined;
  };
  return { ask, asking, answerOf };
}

function keyOf(name: ConfigName, connectionId: string): string {
  return JSON.stringify([name.namespaceId, name.groupName, name.dataId, connectionId]);
}

export function differs(answer: Answer): boolean {
  return answer.state === 'ANSWERED' && answer.md5 !== answer.believed;
}

export function isConfirmed(answer: Answer): boolean {
  return answer.state === 'ANSWERED' && answer.md5 === answer.believed;
}

/** The client's answer beside what the server believes. */
export function AnswerMark(props: { answer: Answer | undefined; asks: boolean | undefined }) {
  const { answer } = props;
  if (!answer) return props.asks === false ? <span className="muted">{t('Cannot be asked')}</span> : null;
  switch (answer.state) {
    case 'ANSWERED':
      return isConfirmed(answer) ? (
        <Tag color="success">{t('Confirmed')}</Tag>
      ) : (
        <Tag color="error" title={answer.md5}>{answer.md5 ? t('Holds another content: {md5}', { md5: shortly(answer.md5) }) : t('Holds no content')}</Tag>
      );
    case 'SILENT':
      return <Tag color="warning">{t('No answer within 3 s')}</Tag>;
    case 'CANNOT_ANSWER':
      return <span className="muted">{t('Cannot be asked')}</span>;
    case 'NOT_CONNECTED':
      return <Tag color="warning">{t('Not connected any more')}</Tag>;
    case 'BUSY':
      return <Tag color="warning">{t('Too many questions: ask again')}</Tag>;
    case 'TOO_LARGE':
      return <Tag>{t('Not asked: the content is over 1 MiB')}</Tag>;
  }
}

/** The digest as far as it is needed to tell contents apart; the whole one is in the title. */
export function Digest(props: { md5: string }) {
  return props.md5 ? <span className="mono" title={props.md5}>{shortly(props.md5)}</span> : <>–</>;
}

export function shortly(md5: string): string {
  return md5.slice(0, 8);
}
