import { Button } from 'antd';
import { useState, type ReactNode } from 'react';
import { clients, type ClientEvent, type EventSearch } from '../../api/clients';
import { ClientAddress, placeOf } from '../../components/ClientAddress';
import { Clip, Dot, Incomplete, Link, Loaded } from '../../components/common';
import { moment, number, t } from '../../i18n';
import { useRemote } from '../../remote';
import { view } from '../../router';
import { Digest } from './asked';

const PAGE = 50;
const MOST = 500;
/** A search may read all files of all nodes. */
const EVERY_MILLIS = 10_000;

export function clientView(client: { connectionId: string; ip: string; app?: string; instance?: string }): string {
  return view('clients/one', { id: client.connectionId, ip: client.ip, app: client.app, instance: client.instance });
}

/** The events of clients, the newest first. */
export function ClientHistory(props: {
  search: EventSearch;
  visible: boolean;
  /** Whether each event names its client; else it names its configuration. */
  byClient: boolean;
}) {
  const [size, setSize] = useState(PAGE);
  const remote = useRemote(`history ${JSON.stringify(props.search)} ${size}`, (signal) => clients.history(props.search, size, signal), { every: props.visible ? EVERY_MILLIS : undefined });
  return (
    <Loaded remote={remote}>
      {({ data, silent }) => (
        <>
          <Incomplete nodes={silent} />
          {data.length === 0 && <p className="calm">{t('No event is kept')}</p>}
          <ol className="list-plain timeline">
            {data.map((event, index) => (
              <li key={`${event.node} ${event.at} ${event.event} ${event.connectionId} ${event.dataId} ${index}`}>
                <Dot kind={kindOf(event)} />
                <time className="nowrap muted" dateTime={new Date(event.at).toISOString()}>{moment(event.at)}</time>
                <span className="grow wrap">
                  {eventText(event)}
                  {(event.event === 'LISTENED' || event.event === 'FOLLOWED') && <> · {event.md5 ? <Digest md5={event.md5} /> : t('without content')}</>}
                  {event.event !== 'MISSING' && <Subject event={event} byClient={props.byClient} />}
                </span>
              </li>
            ))}
          </ol>
          {data.length >= size && size < MOST && <Button style={{ marginTop: 12 }} onClick={() => setSize(Math.min(MOST, size * 2))}>{t('Load older events')}</Button>}
        </>
      )}
    </Loaded>
  );
}

function kindOf(event: ClientEvent): 'good' | 'warn' | 'none' {
  if (event.event === 'FOLLOWED') return 'good';
  return event.event === 'BEHIND' || event.event === 'MISSING' ? 'warn' : 'none';
}

function eventText(event: ClientEvent): string {
  switch (event.event) {
    case 'LISTENED':
      return t('Listens');
    case 'NOTIFIED':
      return t('Notified of a change');
    case 'FOLLOWED':
      return t('Has a new content');
    case 'BEHIND':
      return t('Did not follow within 10 s');
    case 'LEFT':
      return t('Connection ended');
    case 'MISSING':
      return t('{n} events could not be kept', { n: number(event.count ?? 0) });
  }
}

function Subject(props: { event: ClientEvent; byClient: boolean }): ReactNode {
  const { event } = props;
  if (props.byClient) {
    return (
      <>
        {' · '}
        <Link to={clientView(event)}><ClientAddress place={placeOf(event.ip, event.connectionId)} /></Link>
        {event.app && <> · <Clip text={event.app} width={200} /></>}
      </>
    );
  }
  if (!event.dataId) return null;
  return (
    <>
      {' · '}
      <Link to={view('configs/one', { ns: event.namespaceId, group: event.groupName, dataId: event.dataId, tab: 'listeners' })}><Clip text={event.dataId} /></Link>{' '}
      <span className="muted">{event.groupName} · {event.namespaceId || 'public'}</span>
    </>
  );
}
