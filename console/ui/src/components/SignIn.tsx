import { Alert, Button, Divider, Form, Input, Modal } from 'antd';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { core } from '../api/core';
import { access } from '../api/access';
import { ApiError } from '../api/http';
import { finishLogin, isArriving, issuer } from '../api/issuer';
import { session } from '../api/session';
import { t } from '../i18n';

export function useSession() {
  return useSyncExternalStore(session.subscribe, session.get);
}

/** Lies over the page when the server wants to know who asks; nothing typed below it is lost. */
export function SignIn() {
  const { wanted, user, token } = useSession();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(isArriving);

  useEffect(() => {
    // Another tab may have signed in while this one was refused.
    if (!wanted && token) setProblem(undefined);
  }, [wanted, token]);

  useEffect(() => {
    void finishLogin().then((refusal) => {
      setBusy(false);
      if (refusal === 'refused') setProblem(t('You are not allowed to sign in this way. An administrator finds the reason in the log of the server.'));
      if (refusal === 'unavailable') setProblem(t('The sign-in service of your company cannot be reached. Try again in a minute.'));
    });
  }, []);

  const submit = async (values: { username: string; password: string }) => {
    session.typing(values.username);
    setBusy(true);
    setProblem(undefined);
    try {
      await core.signIn(values.username, values.password);
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal
      open={wanted}
      closable={false}
      keyboard={false}
      footer={null}
      width={380}
      zIndex={3000}
      destroyOnHidden
      title={user ? t('Please sign in again') : t('Sign in to Cairn')}
    >
      {user && <p className="muted">{t('Your session has expired. Your input is kept.')}</p>}
      {problem && <Alert type="error" showIcon title={t('Sign-in failed')} description={problem} style={{ marginBottom: 16 }} />}
      {issuer && (
        <>
          {/* A new tab keeps the input of this one; it hands its session over. */}
          <Button type="primary" block loading={busy} href={issuer.login()} target={user ? '_blank' : undefined} rel="noopener">
            {issuer.label || t('Sign in with your company account')}
          </Button>
          <Divider plain>{t('or with a user of this server')}</Divider>
        </>
      )}
      <Form
        layout="vertical"
        onFinish={submit}
        onValuesChange={(changed: { username?: string }) => changed.username !== undefined && session.typing(changed.username)}
        initialValues={{ username: user?.username }}
        requiredMark={false}
      >
        <Form.Item name="username" label={t('User name')} rules={[{ required: true, message: t('Needed') }]}>
          <Input autoComplete="username" autoFocus={!user} />
        </Form.Item>
        <Form.Item name="password" label={t('Password')} rules={[{ required: true, message: t('Needed') }]}>
          <Input.Password autoComplete="current-password" autoFocus={!!user} />
        </Form.Item>
        <Button type={issuer ? 'default' : 'primary'} htmlType="submit" block loading={busy} aria-label={t('Sign in')}>
          {t('Sign in')}
        </Button>
      </Form>
    </Modal>
  );
}

/** Changes the own password: on request, or because the server's generated one must not stay. */
export function ChangePassword(props: { open: boolean; forced: boolean; close: () => void }) {
  const { user } = useSession();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  const submit = async (values: { current: string; password: string }) => {
    if (!user) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await access.changePassword(user.username, values.password, values.current);
      // The token of the old password is refused from now on: not before there is a new one does the page go on.
      await core.signIn(user.username, values.password);
      props.close();
    } catch (failure) {
      const isWrong = failure instanceof ApiError && failure.message.startsWith('oldPassword:');
      setProblem(isWrong ? t('This is not your current password.') : failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal
      open={props.open}
      closable={!props.forced}
      keyboard={!props.forced}
      mask={{ closable: false }}
      onCancel={props.close}
      footer={null}
      width={400}
      destroyOnHidden
      title={t('Change your password')}
    >
      {props.forced && <p className="muted">{t('You signed in with the generated password. Set your own password to continue.')}</p>}
      {problem && <Alert type="error" showIcon title={problem} style={{ marginBottom: 16 }} />}
      <Form layout="vertical" onFinish={submit} requiredMark={false}>
        <Form.Item name="current" label={t('Current password')} rules={[{ required: true, message: t('Needed') }]}>
          <Input.Password autoComplete="current-password" autoFocus />
        </Form.Item>
        <Form.Item name="password" label={t('New password')} rules={[{ required: true, message: t('Needed') }]}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item
          name="again"
          label={t('New password again')}
          dependencies={['password']}
          rules={[
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                value === getFieldValue('password') ? Promise.resolve() : Promise.reject(new Error(t('The passwords differ'))),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Button type="primary" htmlType="submit" block loading={busy} aria-label={t('Change password')}>
          {t('Change password')}
        </Button>
      </Form>
    </Modal>
  );
}
