import type { Connection } from '../../api/core';
import { placeOf, placeText, type ClientPlace } from '../../components/ClientAddress';

/** A connected client as the list of connections has it. */
export type ConnectionRow = { node: string; ip: string; id: string; place: ClientPlace; address: string; version: string; app: string; since: number; labels: Record<string, string> };

export function rowOf({ node, connection }: { node: string; connection: Connection }): ConnectionRow {
  const meta = connection.metaInfo ?? (connection as Record<string, unknown>);
  const text = (name: string) => String((meta as Record<string, unknown>)[name] ?? '');
  const id = text('connectionId');
  const ip = text('clientIp') || text('remoteIp');
  const place = placeOf(ip, id);
  return {
    node,
    id,
    ip,
    place,
    address: placeText(place),
    version: text('version'),
    app: text('appName'),
    since: Number(new Date((meta as Record<string, unknown>).createTime as string | number)) || 0,
    labels: ((meta as Record<string, unknown>).labels as Record<string, string>) ?? {},
  };
}

/** The label that tells an instance apart; empty without one. */
export function instanceOf(labels: Record<string, string>): string {
  return labels.app_instance ?? labels.instance ?? labels['nacos.app.instance'] ?? '';
}
