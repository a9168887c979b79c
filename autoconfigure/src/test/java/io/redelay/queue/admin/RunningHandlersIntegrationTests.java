package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.WakeUps;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.scheduling.QueueThreads;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import reactor.core.publisher.Mono;

import org.springframework.messaging.Message;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HandlerAdmin}: one instance has the handlers, another one asks.
 */
class RunningHandlersIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String PREFIX = "r" + UUID.randomUUID();

	private static final Handlers handlers = new Handlers();

	private static ListenerApplication holder;

	private static ListenerApplication other;

	private static HandlerAdmin admin;

	private final String id = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		holder = application().bean(handlers).bean("hanging", new HangingErrorHandler()).start();
		other = application().start();
		admin = other.bean(QueueAdmin.class).handlers();
	}

	@AfterAll
	static void stop() {
		handlers.end.countDown();
		handlers.refusing.forEach((future) -> future.complete(null));
		other.close();
		holder.close();
	}

	private static ListenerApplication.Builder application() {
		return ListenerApplication.on(redis)
			.with("p", PREFIX)
			.with("redelay.queue.queues[" + queue("parts") + "].partitions", 3);
	}

	private static String queue(String name) {
		return PREFIX + "." + name;
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theStackNamesTheLineOfTheHandler() {
		String queue = queue("blocks");
		begin(queue);
		HandlerStack stack = admin.stack(queue, this.id, null).orElseThrow();
		assertThat(stack.state()).isEqualTo(RunningHandler.State.HANDLING);
		assertThat(stack.threadState()).isEqualTo(Thread.State.WAITING);
		assertThat(stack.thread()).startsWith("redelay-");
		assertThat(stack.instance()).isEqualTo(handlerOf(queue).instance());
		assertThat(stack.frames()).anySatisfy((frame) -> {
			assertThat(frame.application()).isFalse();
			assertThat(frame.type()).startsWith("java.util.concurrent.");
		});
		HandlerStack.Frame own = stack.frames().stream().filter(HandlerStack.Frame::application).findFirst().get();
		assertThat(own.type()).isEqualTo(Handlers.class.getName());
		assertThat(own.method()).isEqualTo("block");
		assertThat(own.file()).isEqualTo("RunningHandlersIntegrationTests.java");
		assertThat(own.line()).isEqualTo(handlers.line);
		assertThat(stack.toString()).as("no values").doesNotContain("secret-payload");
		assertThat(handlerOf(queue).line()).isEqualTo(own);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerIsListedWithWhatItsInstanceKnows() {
		String queue = queue("listed");
		begin(queue, OutboundMessage.to(queue, "secret-payload").id(this.id).maxAttempts(7));
		await().until(() -> handlerOf(queue).progress() != null);
		RunningHandler handler = handlerOf(queue);
		assertThat(handler.queue()).isEqualTo(queue);
		assertThat(handler.uid()).isNotEqualTo(this.id);
		assertThat(handler.attempt()).isOne();
		assertThat(handler.maxAttempts()).isEqualTo(7);
		assertThat(handler.listener()).isEqualTo("listed");
		assertThat(handler.instanceName()).isNotBlank();
		assertThat(handler.thread()).startsWith("redelay-");
		assertThat(handler.progress().fraction()).isEqualTo(0.4);
		assertThat(handler.median()).as("of few").isNull();
		assertThat(handler.p99()).isNull();
		assertThat(handler.isSlow()).isFalse();
		assertThat(handler.running()).isPositive();
		QueuedMessage message = other.bean(QueueAdmin.class).messages().find(queue, this.id).orElseThrow();
		assertThat(handler.since()).isAfterOrEqualTo(message.sentAt().minusSeconds(1));
		assertThat(handler.uid()).isEqualTo(message.uid());
		assertThat(handler.instance()).isEqualTo(message.instance());
		RunningHandlers all = admin.running();
		assertThat(all.handlers()).extracting(RunningHandler::id).contains(this.id);
		assertThat(all.handlers()).extracting(RunningHandler::running)
			.isSortedAccordingTo((one, another) -> another.compareTo(one));
		assertThat(all.answered()).contains(handler.instance());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerIsComparedWithOthersOfItsType() {
		String queue = queue("usual");
		for (int i = 0; i < 120; i++) {
			holder.queues().send(queue, "quick");
		}
		await().untilAsserted(() -> assertThat(handlers.quick).hasValue(120));
		begin(queue);
		await().untilAsserted(() -> {
			RunningHandler handler = handlerOf(queue);
			assertThat(handler.median()).isNotNull();
			assertThat(handler.p99()).isGreaterThanOrEqualTo(handler.median());
			assertThat(handler.isSlow()).isTrue();
		});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@ExtendWith(CapturedLog.Extension.class)
	void anInterruptedHandlerFailsAndItsMessageIsTriedAgain(CapturedLog log) {
		String queue = queue("again");
		begin(queue);
		assertThat(admin.interrupt(queue, this.id, null)).isEqualTo(done());
		await().until(() -> handlers.interrupted.contains(this.id));
		await().until(() -> handlers.begun(this.id) == 2);
		assertThat(log.entriesWith(this.id, "is interrupted, for QueueAdmin was asked to")).hasSize(1);
		RunningHandler second = handlerOf(queue);
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(admin.interrupt(queue, this.id, second.claim() - 1)).isEqualTo(
				new CommandOutcome(MessageState.IN_FLIGHT, false, null, "no handler works on this delivery of it"));
		assertThat(handlers.interrupted).as("only that claim").filteredOn(this.id::equals).hasSize(1);
		assertThat(admin.interrupt(queue, second.uid(), second.claim())).isEqualTo(done());
		await().until(() -> handlers.begun(this.id) == 3);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void thePresentMessageOfAThreadIsInterruptedAndNoLaterOne() throws InterruptedException {
		String queue = queue("stress");
		ListenerApplication stressed = application().bean(new Stress()).start();
		try {
			Stress stress = stressed.bean(Stress.class);
			// Each question interrupts all odd messages that are in hand then.
			stressed.bean(WakeUps.class).answerBy((question, inHand) -> {
				inHand.stream()
					.filter((delivery) -> Integer.parseInt(delivery.info().id()) % 2 == 1)
					.forEach(Delivery::interruptHandler);
				return null;
			}, stressed.bean(QueueThreads.class).scheduler());
			WakeUps wakeUps = stressed.bean(WakeUps.class);
			Thread asking = new Thread(() -> {
				while (!stress.over) {
					wakeUps.asked("nobody", "1", "{}");
				}
			});
			asking.start();
			for (int i = 0; i < 600; i++) {
				stressed.queues().send(OutboundMessage.to(queue, "x").id(Integer.toString(i)).maxAttempts(1));
			}
			await().atMost(Duration.ofMinutes(1)).until(() -> stress.handled.size() == 600);
			stress.over = true;
			asking.join();
			assertThat(stress.odd).as("some are interrupted").isNotEmpty();
			assertThat(stress.even).as("another one was to be").isEmpty();
		}
		finally {
			stressed.bean(Stress.class).over = true;
			stressed.bean(QueueAdmin.class).control().purge(queue, MessageState.DEAD);
			stressed.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReactiveHandlerHasNoStackAndIsCancelled() {
		String queue = queue("reactive");
		begin(queue, OutboundMessage.to(queue, "x").id(this.id).maxAttempts(1));
		await().until(() -> handlerOf(queue).state() == RunningHandler.State.AWAITING_RESULT);
		assertThat(handlerOf(queue).thread()).isNull();
		HandlerStack stack = admin.stack(queue, this.id, null).orElseThrow();
		assertThat(stack.frames()).isEmpty();
		assertThat(stack.awaited()).startsWith("reactor.");
		assertThat(admin.interrupt(queue, this.id, null)).isEqualTo(done());
		QueueAdmin queues = other.bean(QueueAdmin.class);
		await().until(() -> queues.messages()
			.find(queue, this.id)
			.map(QueuedMessage::state)
			.orElse(null) == MessageState.DEAD);
		assertThat(handlers.cancelled).contains(this.id);
		queues.messages().delete(queue, this.id);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHangsAfterTheHandlerHasReturnedHasAStack() {
		String queue = queue("recovers");
		begin(queue);
		assertThat(handlerOf(queue).state()).isEqualTo(RunningHandler.State.HANDLING);
		assertThat(admin.stack(queue, this.id, null).orElseThrow().frames())
			.anyMatch((frame) -> frame.type().equals(HangingErrorHandler.class.getName()));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatDependsOnACancelledFutureDelaysNoAnswer() {
		String queue = queue("depends");
		begin(queue, OutboundMessage.to(queue, "x").id(this.id).maxAttempts(1));
		await().until(() -> handlerOf(queue).state() == RunningHandler.State.AWAITING_RESULT);
		assertThat(admin.interrupt(queue, this.id, null)).isEqualTo(done());
		assertThat(handlers.cancelled).contains(this.id);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureThatRefusesIsNotCancelled() {
		String queue = queue("refuses");
		begin(queue);
		await().until(() -> handlerOf(queue).state() == RunningHandler.State.AWAITING_RESULT);
		assertThat(admin.interrupt(queue, this.id, null).reason()).contains("has returned");
		assertThat(handlerOf(queue).state()).isEqualTo(RunningHandler.State.AWAITING_RESULT);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatIsAcknowledgedLaterHasNoThread() {
		String queue = queue("manual");
		begin(queue);
		await().until(() -> handlerOf(queue).state() == RunningHandler.State.AWAITING_ACKNOWLEDGMENT);
		assertThat(admin.stack(queue, this.id, null).orElseThrow().frames()).isEmpty();
		assertThat(admin.interrupt(queue, this.id, null).reason()).contains("has returned");
		handlers.acknowledgments.get(this.id).acknowledge();
		await().until(() -> admin.running(queue).handlers().isEmpty());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatWasAcknowledgedBeforeIsFoundWhereRedisHasNone() {
		String queue = queue("first");
		begin(queue);
		assertThat(other.bean(QueueAdmin.class).messages().find(queue, this.id)).isEmpty();
		assertThat(handlerOf(queue).acknowledged()).isTrue();
		assertThat(admin.stack(queue, this.id, null)).isPresent();
		assertThat(admin.interrupt(queue, this.id, null)).isEqualTo(done());
		await().until(() -> handlers.interrupted.contains(this.id));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchIsOneHandlerOfItsMessages() {
		String queue = queue("batch");
		holder.queues()
			.sendAll(List.of(OutboundMessage.to(queue, "a").id(this.id), OutboundMessage.to(queue, "b").id("b")));
		await().until(() -> admin.running(queue).handlers().size() == 2);
		assertThat(admin.running(queue).handlers()).allSatisfy((handler) -> {
			assertThat(handler.messages()).isEqualTo(2);
			assertThat(handler.batch()).isTrue();
			assertThat(handler.line().method()).isEqualTo("batch");
		}).extracting(RunningHandler::thread).containsOnly(handlerOf(queue).thread());
		assertThat(admin.interrupt(queue, "b", null)).isEqualTo(done());
		await().until(() -> handlers.interrupted.contains("a,b"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void partitionsAreOneQueueAndAGroupIsAQueue() {
		String queue = queue("parts");
		for (int i = 0; i < 4; i++) {
			holder.queues().send(OutboundMessage.to(queue, "x").id(this.id + i));
		}
		await().until(() -> admin.running(queue).handlers().size() == 4);
		assertThat(admin.running(queue).handlers()).allSatisfy((handler) -> {
			assertThat(handler.queue()).isEqualTo(queue);
			assertThat(admin.stack(queue, handler.uid(), null)).isPresent();
		});
		holder.queues().publish(queue("news"), "x");
		RunningHandler copy = await().until(() -> admin.running()
			.handlers()
			.stream()
			.filter((handler) -> handler.listener().equals("reader"))
			.findFirst()
			.orElse(null), (found) -> found != null);
		assertThat(admin.running(copy.queue()).handlers()).extracting(RunningHandler::uid).containsExactly(copy.uid());
		assertThat(admin.stack(copy.queue(), copy.uid(), null)).isPresent();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@EnabledForJreRange(min = JRE.JAVA_21)
	void aVirtualThreadHasAStackAndIsInterrupted() {
		String queue = queue("virtual");
		Handlers own = new Handlers();
		ListenerApplication virtual = application().bean("virtual", new Virtual(own))
			.with("spring.threads.virtual.enabled", true)
			.start();
		try {
			virtual.queues().send(OutboundMessage.to(queue, "x").id(this.id).maxAttempts(1));
			await().until(() -> own.begun(this.id) == 1);
			HandlerStack stack = await().until(() -> admin.stack(queue, this.id, null).orElseThrow(),
					(found) -> !found.frames().isEmpty());
			assertThat(stack.frames()).filteredOn(HandlerStack.Frame::application)
				.element(0)
				.extracting(HandlerStack.Frame::type, HandlerStack.Frame::method)
				.containsExactly(Handlers.class.getName(), "block");
			assertThat(admin.interrupt(queue, this.id, null)).isEqualTo(done());
			await().until(() -> own.interrupted.contains(this.id));
			QueueAdmin queues = other.bean(QueueAdmin.class);
			await().until(() -> queues.queues().info(queue).dead() == 1);
			queues.messages().delete(queue, this.id);
		}
		finally {
			own.end.countDown();
			virtual.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInstanceThatDoesNotAnswerIsNamed() {
		String queue = queue("silent");
		ListenerApplication silent = application().bean(new Silent())
			.with("redelay.queue.instance-name", "silent-one")
			.start();
		try {
			// As one of a version that knows no questions, or one that was killed.
			silent.bean(WakeUps.class)
				.answerBy((question, inHand) -> null, silent.bean(QueueThreads.class).scheduler());
			await().until(() -> other.bean(QueueAdmin.class)
				.queues()
				.instances()
				.stream()
				.anyMatch((instance) -> instance.name().equals("silent-one")));
			silent.queues().send(OutboundMessage.to(queue, "x").id(this.id));
			await().until(() -> handlers.begun(this.id) == 1);
			assertThat(admin.running(queue).handlers()).isEmpty();
			assertThat(admin.running(queue).silent()).extracting(InstanceInfo::name).containsExactly("silent-one");
			assertThatExceptionOfType(QueueException.class).isThrownBy(() -> admin.stack(queue, this.id, null))
				.withMessageContaining("'silent-one' did not answer within 2.5 s");
			assertThatExceptionOfType(QueueException.class).isThrownBy(() -> admin.interrupt(queue, this.id, 1L))
				.withMessageStartingWith("It is unknown whether the handler of the message '" + this.id
						+ "' was interrupted: 'silent-one' did not answer");
		}
		finally {
			handlers.silent.countDown();
			silent.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nothingIsFoundWhereNothingRuns() {
		String queue = queue("idle");
		other.queues().send(OutboundMessage.to(queue, "x").id(this.id).delay(Duration.ofDays(1)));
		assertThat(admin.running(queue)).isEqualTo(new RunningHandlers(List.of(), 0, List.of(), List.of()));
		assertThat(admin.stack(queue, this.id, null)).isEmpty();
		assertThat(admin.interrupt(queue, this.id, null))
			.isEqualTo(new CommandOutcome(MessageState.SCHEDULED, false, null, "no handler works on it"));
		assertThat(admin.interrupt(queue, "nobody", null).state()).isEqualTo(MessageState.UNKNOWN);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> admin.running(queue("never")));
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> admin.stack(queue("never"), "x", null));
		other.bean(QueueAdmin.class).messages().delete(queue, this.id);
	}

	private void begin(String queue) {
		begin(queue, OutboundMessage.to(queue, "secret-payload").id(this.id));
	}

	private void begin(String queue, OutboundMessage message) {
		holder.queues().send(message);
		await().until(() -> handlers.begun(this.id) > 0
				&& admin.running(queue).handlers().stream().anyMatch((each) -> each.id().equals(this.id)));
	}

	private RunningHandler handlerOf(String queue) {
		return admin.running(queue)
			.handlers()
			.stream()
			.filter((each) -> each.id().equals(this.id))
			.findFirst()
			.orElseThrow();
	}

	private static CommandOutcome done() {
		return new CommandOutcome(MessageState.IN_FLIGHT, true, null, null);
	}

	/**
	 * Handlers that wait until they are interrupted, or the tests have ended.
	 */
	static final class Handlers {

		private final CountDownLatch end = new CountDownLatch(1);

		private final CountDownLatch silent = new CountDownLatch(1);

		private final List<String> begun = new CopyOnWriteArrayList<>();

		private final List<String> interrupted = new CopyOnWriteArrayList<>();

		private final List<String> cancelled = new CopyOnWriteArrayList<>();

		private final List<CompletableFuture<Void>> refusing = new CopyOnWriteArrayList<>();

		private final Map<String, Acknowledgment> acknowledgments = new ConcurrentHashMap<>();

		private final AtomicInteger quick = new AtomicInteger();

		private volatile int line;

		long begun(String id) {
			return this.begun.stream().filter(id::equals).count();
		}

		@QueueListener(queues = { "${p}.blocks", "${p}.again" }, concurrency = "2", maxAttempts = "9")
		void blocks(String payload, DeliveryInfo info) throws InterruptedException {
			block(info.id());
		}

		@QueueListener(id = "listed", queues = "${p}.listed")
		void listed(String payload, MessageDelivery delivery) throws InterruptedException {
			delivery.progress(0.4, "page 4");
			block(delivery.info().id());
		}

		@QueueListener(queues = "${p}.usual", concurrency = "4")
		void usual(String payload, DeliveryInfo info) throws InterruptedException {
			if (payload.equals("quick")) {
				this.quick.incrementAndGet();
				return;
			}
			block(info.id());
		}

		@QueueListener(queues = "${p}.first", ackMode = AckMode.BEFORE_HANDLING)
		void first(String payload, DeliveryInfo info) throws InterruptedException {
			block(info.id());
		}

		@QueueListener(queues = "${p}.batch", batchSize = "2", batchTimeout = "10s")
		void batch(List<Message<String>> batch) throws InterruptedException {
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				this.interrupted.add(String.join(",", batch.stream().map(Message::getPayload).toList()));
				throw ex;
			}
		}

		@QueueListener(queues = "${p}.parts", concurrency = "4")
		void parts(String payload, DeliveryInfo info) throws InterruptedException {
			block(info.id());
		}

		@QueueListener(id = "reader", topic = "${p}.news", group = "readers")
		void read(String payload, DeliveryInfo info) throws InterruptedException {
			block(info.id());
		}

		@QueueListener(queues = "${p}.reactive")
		Mono<String> reactive(String payload, DeliveryInfo info) {
			this.begun.add(info.id());
			return Mono.<String>never().doOnCancel(() -> this.cancelled.add(info.id()));
		}

		@QueueListener(queues = "${p}.recovers", errorHandler = "hanging")
		CompletableFuture<Void> recovers(String payload) {
			return CompletableFuture.runAsync(() -> {
				throw new IllegalStateException("fails");
			}, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS));
		}

		@QueueListener(queues = "${p}.depends")
		CompletableFuture<Void> depends(String payload, DeliveryInfo info) {
			CompletableFuture<Void> future = new CompletableFuture<>();
			future.whenComplete((done, failure) -> {
				this.cancelled.add(info.id());
				try {
					this.end.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
			this.begun.add(info.id());
			return future;
		}

		@QueueListener(queues = "${p}.refuses")
		CompletableFuture<Void> refuses(String payload, DeliveryInfo info) {
			this.begun.add(info.id());
			CompletableFuture<Void> future = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterrupt) {
					return false;
				}

			};
			this.refusing.add(future);
			return future;
		}

		@QueueListener(queues = "${p}.manual", ackMode = AckMode.MANUAL)
		void manual(String payload, DeliveryInfo info, Acknowledgment acknowledgment) {
			this.acknowledgments.put(info.id(), acknowledgment);
			this.begun.add(info.id());
		}

		void block(String id) throws InterruptedException {
			this.begun.add(id);
			try {
				this.line = here();
				this.end.await();
			}
			catch (InterruptedException ex) {
				this.interrupted.add(id);
				throw ex;
			}
		}

		/**
		 * The line below that of the caller.
		 */
		private static int here() {
			return new Throwable().getStackTrace()[1].getLineNumber() + 1;
		}

	}

	/**
	 * Handlers of an application with virtual threads.
	 */
	record Virtual(Handlers handlers) {

		@QueueListener(queues = "${p}.virtual")
		void virtual(String payload, DeliveryInfo info) throws InterruptedException {
			this.handlers.block(info.id());
		}

	}

	/**
	 * A handler of an instance that answers nothing.
	 */
	static final class Silent {

		@QueueListener(queues = "${p}.silent")
		void silent(String payload, DeliveryInfo info) throws InterruptedException {
			handlers.begun.add(info.id());
			handlers.silent.await();
		}

	}

	/**
	 * Short handlers, of which one that is named by an odd number may be interrupted.
	 */
	static final class Stress {

		private final List<String> odd = new CopyOnWriteArrayList<>();

		private final List<String> even = new CopyOnWriteArrayList<>();

		private final Set<String> handled = ConcurrentHashMap.newKeySet();

		private volatile boolean over;

		@QueueListener(queues = "${p}.stress", concurrency = "3")
		@Nullable CompletableFuture<Void> handle(String payload, DeliveryInfo info) {
			boolean isOdd = Integer.parseInt(info.id()) % 2 == 1;
			boolean interrupted = false;
			for (long begin = System.nanoTime(); !interrupted
					&& System.nanoTime() - begin < (isOdd ? 5_000_000 : 200_000);) {
				interrupted = Thread.interrupted();
			}
			if (interrupted) {
				(isOdd ? this.odd : this.even).add(info.id());
			}
			this.handled.add(info.id());
			// Every third one goes on without its thread.
			return (Integer.parseInt(info.id()) % 3 == 0) ? CompletableFuture.runAsync(() -> {
			}) : null;
		}

	}

	/**
	 * Waits until the tests end.
	 */
	static class HangingErrorHandler implements QueueErrorHandler {

		@Override
		public void handle(Message<?> message, Throwable failure) throws InterruptedException {
			handlers.block(String.valueOf(message.getHeaders().get(QueueHeaders.ID)));
		}

	}

}
