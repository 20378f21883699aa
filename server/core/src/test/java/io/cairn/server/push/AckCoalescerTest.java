package io.cairn.server.push;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.testing.HangLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@HangLimit
class AckCoalescerTest {

    private final Io io = new Io();
    private final List<Long> rests = new ArrayList<>();
    private final AckCoalescer answers = new AckCoalescer(io, (blocker, nanos) -> rests.add(nanos));
    private final Loop loop = new Loop();

    @Test
    void aLoopThatAwaitsManyAnswersRestsOnceTheyBeginToArrive() {
        answers.await(100);

        run(0);
        assertThat(rests).as("nothing has arrived").isEmpty();
        run(1);
        assertThat(rests).as("the first one ended the sleep in the selector").isEmpty();
        run(60);
        assertThat(rests).containsExactly(AckCoalescer.REST_NANOS);
        assertThat(io.runs).isEqualTo(3);
    }

    @Test
    void aLoopThatAwaitsFewAnswersDoesNotRest() {
        answers.await(AckCoalescer.MANY);
        run(1);
        run(1);

        assertThat(rests).isEmpty();
    }

    @Test
    void aLoopThatAwaitsNothingMoreDoesNotRest() {
        answers.await(AckCoalescer.MANY);
        run(AckCoalescer.MANY);
        run(0);

        assertThat(rests).isEmpty();
    }

    @Test
    void aLoopWithATaskDoesNotRestAndRemembersWhatArrived() {
        answers.await(100);
        loop.canBlock = false;
        run(10);
        run(0);
        assertThat(rests).isEmpty();

        loop.canBlock = true;
        run(10);
        assertThat(rests).hasSize(1);
    }

    @Test
    void aTaskThatComesBeforeTheRestIsSeen() {
        answers.await(100);
        run(10);
        loop.onSecondLook = () -> loop.canBlock = false;
        run(0);

        assertThat(rests).isEmpty();
        assertThat(io.runs).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20_000, 499_999})
    void aRestEndsWhenTheLoopHasSomethingToDo(long nanos) {
        answers.await(100);
        run(10);
        loop.delayNanos = nanos;
        run(10);

        assertThat(rests).containsExactly(nanos);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1_000})
    void aLoopThatIsLateDoesNotRest(long nanos) {
        answers.await(100);
        run(10);
        loop.delayNanos = nanos;
        run(10);

        assertThat(rests).isEmpty();
    }

    @Test
    void pausesEndWhenAcknowledgementsArriveOneByOne() {
        answers.await(100);
        for (int i = 0; i < 50; i++) {
            run(1);
        }
        assertThat(rests).hasSize(AckCoalescer.IN_VAIN);

        answers.await(1);
        run(AckCoalescer.FEW);
        assertThat(rests).hasSize(AckCoalescer.IN_VAIN + 1);
    }

    @Test
    void usefulPauseResetsTheCountOfUselessOnes() {
        answers.await(1_000);
        run(1);
        for (int i = 0; i < 20; i++) {
            run(AckCoalescer.FEW - 1);
            run(AckCoalescer.FEW);
        }

        assertThat(rests).hasSize(40);
    }

    @Test
    void eachPauseTakesHalfAMillisecond() {
        answers.await(1_000);
        run(1);
        for (int arriving : new int[] {4, 4, 16, 3, 4}) {
            run(arriving);
        }

        assertThat(rests).hasSize(5).containsOnly(TimeUnit.MICROSECONDS.toNanos(500));
    }

    @Test
    void pushOnAnAcknowledgementDoesNotResetUselessPauses() {
        answers.await(100);
        for (int i = 0; i < 20; i++) {
            io.onRun = () -> {
                answers.arrived();
                answers.await(-1);
                answers.await(1);
            };
            answers.run(loop);
        }

        assertThat(rests).hasSize(AckCoalescer.IN_VAIN);
    }

    @Test
    void aLoopThatReadsMoreOfOtherThingsDoesNotRest() {
        answers.await(1_000);
        io.others = 11;
        run(10);
        run(10);
        assertThat(rests).isEmpty();

        io.others = 10;
        run(10);
        run(10);
        assertThat(rests).hasSize(1);
    }

    @Test
    void pauseEndedByATaskIsNotUseless() {
        answers.await(1_000);
        run(1);
        loop.isGivenATaskInEachRest = true;
        for (int i = 0; i < 10; i++) {
            run(1);
        }

        assertThat(rests).hasSize(10);
    }

    @Test
    void aTaskThatComesWithTheRestEndsIt() {
        CountDownLatch rested = new CountDownLatch(1);
        AckCoalescer parked = new AckCoalescer(io, (blocker, nanos) -> {
            LockSupport.parkNanos(blocker, TimeUnit.HOURS.toNanos(1));
            rested.countDown();
        });
        parked.await(100);
        parked.arrived();
        loop.onSecondLook = parked::wakeup;

        parked.run(loop);

        assertThat(rested.getCount()).isZero();
        assertThat(io.runs).isEqualTo(1);
    }

    @Test
    void wakeupEndsAPause() throws Exception {
        CountDownLatch rests = new CountDownLatch(1);
        AckCoalescer parked = new AckCoalescer(io, (blocker, nanos) -> {
            rests.countDown();
            LockSupport.parkNanos(blocker, TimeUnit.HOURS.toNanos(1));
        });
        parked.await(100);
        io.onRun = parked::arrived;
        Thread thread = new Thread(() -> {
            parked.run(loop);
            parked.run(loop);
        });
        thread.setDaemon(true);
        thread.start();
        rests.await();

        parked.wakeup();

        thread.join(PATIENCE.toMillis());
        assertThat(thread.isAlive()).isFalse();
        assertThat(io.runs).isEqualTo(2);
        assertThat(io.wakeups).isEqualTo(1);
    }

    @Test
    void otherCallsGoToTheWrappedHandler() throws Exception {
        assertThat(answers.isCompatible(IoHandle.class)).isTrue();
        assertThat(answers.register(new Handle())).isSameAs(io.registration);
        answers.initialize();
        assertThat(AckCoalescer.ofThisLoop()).isSameAs(answers);
        answers.prepareToDestroy();
        answers.destroy();

        assertThat(io.done).containsExactly("register", "initialize", "prepareToDestroy", "destroy");
        assertThat(AckCoalescer.ofThisLoop()).isNull();
    }

    @Test
    void theQueuesOfALoopFindItsOwn() throws Exception {
        assertThat(AckCoalescer.ofThisLoop()).isNull();
        assumeThat(Epoll.isAvailable()).isTrue();

        try (EventLoops loops = new EventLoops(1, AckCoalescer::over, new ChannelInboundHandlerAdapter())) {
            int awaited = loops.workers()
                    .submit(() -> {
                        PushKind kind = new PushKind(
                                new PushSettings(
                                        Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(2), 1),
                                new PushMeters(new SimpleMeterRegistry(), "test"));
                        PushQueue queue = new PushQueue(new Anyone(), 10, new PushBudget(1_000), new HandDrivenLoop());
                        queue.add("key", new TextPush(kind, "1", "text", TextPush.REPLY_TYPE), 0);
                        return AckCoalescer.ofThisLoop().awaited();
                    })
                    .get();

            assertThat(awaited).isOne();
        }
    }

    /** A turn of the loop in which that many answers are read. */
    private void run(int arriving) {
        io.ready = io.others + arriving;
        io.onRun = () -> {
            for (int i = 0; i < arriving; i++) {
                answers.arrived();
                answers.await(-1);
            }
        };
        loop.looks = 0;
        answers.run(loop);
    }

    static final class Loop implements IoHandlerContext {

        private volatile boolean canBlock = true;
        private boolean isGivenATaskInEachRest;
        private Runnable onSecondLook = () -> {};
        private int looks;
        private long delayNanos = TimeUnit.SECONDS.toNanos(1);

        @Override
        public boolean canBlock() {
            looks++;
            if (looks == 2) {
                onSecondLook.run();
            }
            return looks == 3 && isGivenATaskInEachRest ? false : canBlock;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return delayNanos;
        }

        @Override
        public long deadlineNanos() {
            return System.nanoTime() + delayNanos;
        }
    }

    /** A receiver that accepts every push. */
    private static final class Anyone implements PushQueue.Receiver {

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(Payload payload) {
            // The payload is dropped.
        }

        @Override
        public void drop(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void idle() {
            throw new AssertionError("a push is on its way");
        }
    }

    private static final class Handle implements IoHandle {

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            throw new AssertionError("nothing is ready here");
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** Handles the input that the test sets. */
    static final class Io implements IoHandler {

        private final List<String> done = new ArrayList<>();
        Runnable onRun = () -> {};
        private int others;
        private int ready;
        private volatile int runs;
        private volatile int wakeups;
        private final IoRegistration registration = new IoRegistration() {
            @Override
            public <T> T attachment() {
                throw new AssertionError("nothing is attached");
            }

            @Override
            public long submit(IoOps ops) {
                throw new AssertionError("nothing is submitted");
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public boolean cancel() {
                return true;
            }
        };

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
        public int run(IoHandlerContext context) {
            runs++;
            onRun.run();
            return ready;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
        public void wakeup() {
            wakeups++;
        }

        @Override
        public void initialize() {
            done.add("initialize");
        }

        @Override
        public void destroy() {
            done.add("destroy");
        }

        @Override
        public void prepareToDestroy() {
            done.add("prepareToDestroy");
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            done.add("register");
            return registration;
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return true;
        }
    }
}
