import { Modal } from 'antd';
import { useEffect, useState, type ComponentProps } from 'react';

/** A dialog that is there as long as it is open. What had the focus before it has it again afterwards. */
export function Dialog(props: Omit<ComponentProps<typeof Modal>, 'open'>) {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // What opened it may be gone with what it was about: then the view goes on from its beginning.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      if (document.activeElement === document.body) document.getElementById('content')?.focus();
    },
    [opener],
  );
  return <Modal open {...props} />;
}
