import { CopyOutlined } from '@ant-design/icons';
import { Button, Segmented } from 'antd';
import { useState } from 'react';
import { serverRoot } from '../../api/http';
import type { ConfigName } from '../../api/configs';
import { copy } from '../../clipboard';
import { useAction } from '../../components/common';
import { t } from '../../i18n';

function snippets(name: ConfigName): Record<string, string> {
  const server = serverRoot.host;
  const q = JSON.stringify;
  const ns = name.namespaceId === 'public' ? '' : name.namespaceId;
  const shell = (text: string) => `'${text.replace(/'/g, `'\\''`)}'`;
  const python = (text: string) => q(text);
  const [host, port = '80'] = server.split(':');
  return {
    Java: `Properties settings = new Properties();
settings.put("serverAddr", ${q(server)});
settings.put("namespace", ${q(ns)});
ConfigService configs = NacosFactory.createConfigService(settings);

String content = configs.getConfigAndSignListener(${q(name.dataId)}, ${q(name.groupName)}, 5000, new AbstractListener() {
    @Override
    public void receiveConfigInfo(String changed) {
        // called whenever a new version is published
    }
});`,
    Spring: `# application.yaml, with spring-cloud-starter-alibaba-nacos-config
spring:
  cloud:
    nacos:
      config:
        server-addr: ${server}
        namespace: ${q(ns)}
  config:
    import:
      - ${q(`nacos:${name.dataId}?group=${name.groupName}&refreshEnabled=true`)}`,
    Go: `client, err := clients.NewConfigClient(vo.NacosClientParam{
	ClientConfig:  constant.NewClientConfig(constant.WithNamespaceId(${q(ns)})),
	ServerConfigs: []constant.ServerConfig{*constant.NewServerConfig(${q(host)}, ${port})},
})
if err != nil {
	return err
}
content, err := client.GetConfig(vo.ConfigParam{DataId: ${q(name.dataId)}, Group: ${q(name.groupName)}})
err = client.ListenConfig(vo.ConfigParam{
	DataId: ${q(name.dataId)},
	Group:  ${q(name.groupName)},
	OnChange: func(namespace, group, dataId, content string) {
		// called whenever a new version is published
	},
})`,
    Python: `# pip install nacos-sdk-python
import asyncio
from v2.nacos import ClientConfigBuilder, ConfigParam, NacosConfigService

async def main():
    settings = ClientConfigBuilder().server_address(${python(server)}).namespace_id(${python(ns)}).build()
    configs = await NacosConfigService.create_config_service(settings)
    print(await configs.get_config(ConfigParam(data_id=${python(name.dataId)}, group=${python(name.groupName)})))

asyncio.run(main())`,
    curl: `curl -G ${shell(new URL('v3/client/cs/config', serverRoot).href)} \\
  --data-urlencode ${shell(`namespaceId=${name.namespaceId}`)} \\
  --data-urlencode ${shell(`groupName=${name.groupName}`)} \\
  --data-urlencode ${shell(`dataId=${name.dataId}`)}`,
  };
}

export function SnippetsTab(props: { name: ConfigName }) {
  const all = snippets(props.name);
  const [language, setLanguage] = useState('Java');
  const action = useAction();
  return (
    <div className="panel">
      <div className="row" style={{ marginBottom: 12 }}>
        <Segmented options={Object.keys(all)} value={language} onChange={setLanguage} />
        <span className="grow" />
        <Button icon={<CopyOutlined aria-hidden />} onClick={() => void action.run(() => copy(all[language]!), t('Copied'))}>
          {t('Copy')}
        </Button>
      </div>
      <pre className="snippet" tabIndex={0} aria-label={t('Code examples')}>{all[language]}</pre>
    </div>
  );
}
