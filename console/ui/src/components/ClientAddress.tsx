/** A client's address in the two parts that it is shown and searched by. */
export type ClientPlace = {
  /** The address by which the server knows the client, for beta releases too; with the port of its connection where that is the same host. */
  address: string;
  /** The other end of its connection, where that is another host, such as a proxy or the host of a container. */
  through: string;
};

/** @param connectionId `<milliseconds>_<address>_<port>`; empty for a client that polls */
export function placeOf(clientIp: string, connectionId: string): ClientPlace {
  const parts = /^\d+_(.+)_(\d+)$/.exec(connectionId);
  if (!parts) return { address: clientIp, through: '' };
  const [, host = '', port = ''] = parts;
  const socket = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return host === clientIp || clientIp === '' ? { address: socket, through: '' } : { address: clientIp, through: socket };
}

/** The place in one text, by which rows are searched and sorted. */
export function placeText(place: ClientPlace): string {
  return place.through ? `${place.address} (${place.through})` : place.address;
}

/** A client is shown alike wherever it is listed. */
export function ClientAddress(props: { place: ClientPlace }) {
  const { address, through } = props.place;
  return (
    <span className="mono">
      {address}
      {through && <span className="muted"> ({through})</span>}
    </span>
  );
}
