import { core } from '../api/core';
import { Loaded, PageHead } from '../components/common';
import { t } from '../i18n';
import { useRemote } from '../remote';

export default function Settings() {
  const state = useRemote('state', (signal) => core.state(signal));
  return (
    <>
      <PageHead title={t('Settings')} sub={t('What the server says of itself. Settings are changed in conf/application.properties.')} />
      <Loaded remote={state}>
        {(data) => (
          <dl className="kv panel">
            {Object.entries(data)
              .sort(([a], [b]) => a.localeCompare(b))
              .map(([name, value]) => [
                <dt key={`${name}-name`} className="mono">{name}</dt>,
                <dd key={name} className="mono">{value === null || value === '' ? '–' : String(value)}</dd>,
              ])}
          </dl>
        )}
      </Loaded>
    </>
  );
}
