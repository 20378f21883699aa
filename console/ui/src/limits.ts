import { t, type Text } from './i18n';

const NAMES: Record<string, Text> = {
  connections: 'Open connections',
  'long-connections': 'Connected clients',
  'connections-per-address': 'Open connections of one address',
  'requests-per-second': 'Requests per second of one caller',
  'watches-per-connection': 'Watches of one connection',
  'instances-per-client': 'Instances of one client',
  'body-bytes': 'Body of a request',
  'head-bytes': 'Request line and headers of a request',
  'message-bytes': 'Message over gRPC',
  'head-seconds': 'Seconds to send the head of a request',
  'answer-seconds': 'Seconds to read a megabyte of a response',
  'open-files': 'Open files of the process',
  'unread-answer-bytes': 'Large responses that are not read yet',
  'mesh-clusters': 'Clusters of a proxy that asks for all',
};

/** A limit in words; one that this console does not know keeps the name that the server gives it. */
export function limitName(name: string): string {
  const known = NAMES[name];
  return known ? t(known) : name;
}
