import { mesh, type MeshSummary, type MeshType } from '../../api/mesh';
import { Link } from '../../components/common';
import { number, t } from '../../i18n';
import { useRemote } from '../../remote';
import { view } from '../../router';

const EVERY_MILLIS = 2000;

/** How many proxies have the stored version of a resource, and which ones refused it. */
export function MeshProgress(props: { namespaceId: string; type: MeshType; name: string; version: string }) {
  const { namespaceId, type, name } = props;
  // Another stored version is another question.
  const remote = useRemote(`${JSON.stringify([namespaceId, type, name])} ${props.version}`, (signal) => mesh.summary({ namespaceId: namespaceId || 'public', type, resource: name }, signal), { every: EVERY_MILLIS, keep: false });
  // Beside an editor, what cannot be said is left out.
  if (!remote.data) return null;
  const { data } = remote.data;
  return (
    <div className="panel" role="status" style={{ marginBottom: 12 }}>
      <Link to={view('proxies', { ns: namespaceId, type, resource: name })}>{words(data)}</Link>
      {data.refusals.map((refusal) => (
        <div key={refusal.id} className="wrap proxy-error">
          <bdi>{refusal.nodeId}</bdi>: <bdi>{refusal.error}</bdi>
        </div>
      ))}
    </div>
  );
}

function words(summary: MeshSummary): string {
  if (summary.proxies === 0) return t('No proxy asks for this resource.');
  const has = t('{n} of {all} proxies have it', { n: number(summary.proxies - summary.behind), all: number(summary.proxies) });
  return summary.refusing === 0 ? has : `${has}, ${t('{n} refused', { n: number(summary.refusing) })}`;
}
