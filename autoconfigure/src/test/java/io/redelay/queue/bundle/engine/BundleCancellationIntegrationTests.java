package io.redelay.queue.bundle.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleEndedException;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.work.CancellationToken;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What becomes of the rest of a bundle when a message dies, or a command gives it up.
 */
class BundleCancellationIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String lines = TestRedis.queue();

	private final String slow = TestRedis.queue();

	private final String alarms = TestRedis.queue();

	private final String done = TestRedis.queue();

	private final List<ListenerApplication> applications = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.applications.forEach(ListenerApplication::close);
	}

	@Test
	void theFirstDeathCancelsWhatWaitsAndWhatIsBeingHandled() throws InterruptedException {
		ListenerApplication application = start("redelay.queue.queues." + this.lines + ".partitions=2");
		ListenerApplication other = start("redelay.queue.queues." + this.lines + ".partitions=2");
		List<OutboundMessage> messages = new ArrayList<>(
				IntStream.range(0, 20).mapToObj((i) -> line("scheduled-" + i).delay(Duration.ofHours(1))).toList());
		messages.add(line("scheduled-id").id("an id").delay(Duration.ofHours(1)));
		messages.add(OutboundMessage.to(this.slow, "running"));
		messages.add(line("good"));
		Bundle bundle = bundles(application)
			.open(BundleCallback.to(this.done).id("doomed").onFirstDeath(FirstDeath.CANCEL_REST));
		bundle.add(messages);
		Waiting.await().until(() -> handled(application, other).containsAll(List.of("running", "good")));
		bundle.add(line("bad"));
		bundle.close();
		BundleSummary summary = summary(application, other);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.acknowledged()).isEqualTo(1);
		assertThat(summary.cancelled()).isEqualTo(22);
		assertThat(summary.total()).isEqualTo(24);
		assertThat(handled(application, other)).containsExactlyInAnyOrder("running", "good", "stopped running");
		assertThat(admin(application).queues().info(this.lines).scheduled()).isZero();
		assertThat(admin(application).messages().browse(this.lines, MessageState.DEAD, 0, 10).messages())
			.as("the dead one stays")
			.hasSize(1);
		assertNothingIsLeft();
	}

	@Test
	void whatWaitsForItsRetryIsCancelledToo() throws InterruptedException {
		ListenerApplication application = start("redelay.queue.listener.backoff.initial-interval=1h");
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done).onFirstDeath(FirstDeath.CANCEL_REST));
		bundle.add(line("fails"));
		Waiting.await().until(() -> admin(application).queues().info(this.lines).scheduled() == 1);
		bundle.add(line("bad"));
		bundle.close();
		assertThat(summary(application).cancelled()).isEqualTo(1);
	}

	@Test
	void aRestThatIsKeptIsHandled() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).onFirstDeath(FirstDeath.KEEP_REST),
				List.of(line("bad"), line("good").delay(Duration.ofMillis(300))));
		BundleSummary summary = summary(application);
		assertThat(summary.acknowledged()).isEqualTo(1);
		assertThat(summary.cancelled()).isZero();
	}

	@Test
	void whatIsAddedToACancelledBundleIsNotSentAndCountsAsCancelled() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		bundle.add(line("scheduled").delay(Duration.ofHours(1)));
		bundle.cancelRest();
		bundle.cancelRest();
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		assertThat(info(application, bundle).restCancelled()).isTrue();
		assertThat(info(application, bundle).open()).isTrue();
		bundle.add(List.of(line("late-1"), line("late-2")));
		assertThat(info(application, bundle).total()).isEqualTo(3);
		bundle.close();
		BundleSummary summary = summary(application);
		assertThat(summary.cancelled()).isEqualTo(3);
		assertThat(summary.total()).isEqualTo(3);
		assertThat(application.bean(Handlers.class).handled).isEmpty();
		assertThatExceptionOfType(BundleEndedException.class).isThrownBy(bundle::cancelRest);
	}

	@Test
	void aHandlerCancelsTheRestOfItsBundleAndIsStoppedItself() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done),
				List.of(OutboundMessage.to(this.slow, "gives up"), line("scheduled").delay(Duration.ofHours(1))));
		BundleSummary summary = summary(application);
		assertThat(summary.cancelled()).isEqualTo(2);
		assertThat(application.bean(Handlers.class).handled).containsExactly("gives up", "stopped gives up");
	}

	@Test
	void aMessageOfNoBundleWithTheIdOfAMemberStays() throws InterruptedException {
		ListenerApplication application = start();
		application.queues().send(line("stays").id("same").delay(Duration.ofHours(1)));
		application.queues()
			.send(line("stays, too").deduplicate(Deduplication.firstWins("key", Duration.ofHours(1)))
				.delay(Duration.ofHours(1)));
		bundles(application).send(BundleCallback.to(this.done).onFirstDeath(FirstDeath.CANCEL_REST),
				List.of(line("duplicate").id("same"),
						line("duplicate").deduplicate(Deduplication.firstWins("key", Duration.ofHours(1))),
						line("bad")));
		BundleSummary summary = summary(application);
		assertThat(summary.duplicate()).isEqualTo(2);
		assertThat(admin(application).queues().info(this.lines).scheduled()).isEqualTo(2);
	}

	@Test
	void aMessageThatWasMovedIsCancelledUnderItsNewName() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		application.queues().send(line("opens the queue"));
		Waiting.await().until(() -> handled(application).contains("opens the queue"));
		admin(application).control().pause(this.lines);
		String id = bundle.add(line("moved"));
		Waiting.await().until(() -> admin(application).queues().info(this.lines).ready() == 1);
		admin(application).messages().reschedule(this.lines, id, Duration.ofHours(1));
		bundle.cancelRest();
		bundle.close();
		assertThat(summary(application).cancelled()).isEqualTo(1);
		assertThat(admin(application).queues().info(this.lines).scheduled()).isZero();
	}

	@Test
	void theDeadStayToBeRedrivenAndAreOfNoBundleThen() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done).onFirstDeath(FirstDeath.CANCEL_REST));
		bundle.add(line("once bad").id("redriven"));
		Waiting.await().until(() -> info(application, bundle).dead() == 1);
		admin(application).deadLetters().redrive(this.lines, "redriven");
		bundle.cancelRest();
		Waiting.await().until(() -> handled(application).contains("once bad"));
		bundle.close();
		BundleSummary summary = summary(application);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.total()).isEqualTo(1);
	}

	@Test
	void aBundleThatAMemberSentGoesOn() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).id("outer").onFirstDeath(FirstDeath.CANCEL_REST),
				List.of(line("opens inner"), line("scheduled").delay(Duration.ofHours(1))));
		Waiting.await().until(() -> admin(application).queues().bundle(this.done, "inner").isPresent());
		bundles(application).bundle(this.done, "outer").add(line("bad"));
		BundleSummary outer = summary(application);
		assertThat(outer.id()).isEqualTo("outer");
		assertThat(outer.cancelled()).isEqualTo(1);
		assertThat(admin(application).queues().bundle(this.done, "inner").orElseThrow().pending()).isEqualTo(1);
		bundles(application).bundle(this.done, "inner").cancelRest();
		assertThat(summary(application).id()).isEqualTo("inner");
	}

	@Test
	void whatComesToItsQueueLateIsCancelledThere() throws InterruptedException {
		ListenerApplication application = start();
		application.queues().send(line("opens the queue"));
		Waiting.await().until(() -> handled(application).contains("opens the queue"));
		admin(application).control().close(this.lines);
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		bundle.add(line("late").delay(Duration.ofHours(1)));
		bundle.cancelRest();
		bundle.close();
		assertThat(info(application, bundle).pending()).isEqualTo(1);
		admin(application).control().reopen(this.lines);
		BundleSummary summary = summary(application);
		assertThat(summary.cancelled()).isEqualTo(1);
		assertThat(admin(application).queues().info(this.lines).scheduled()).isZero();
	}

	@Test
	void theSweeperCancelsWhatNoOtherLaneHolds() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		bundle.add(line("scheduled").delay(Duration.ofHours(1)));
		Waiting.await()
			.until(() -> admin(application).queues().names().contains(this.lines)
					&& admin(application).queues().info(this.lines).scheduled() == 1);
		// As if the note was lost: the bundle alone says so.
		redis.client()
			.<String, String>getMap("redelay:{" + this.done + "}:bundles", StringCodec.INSTANCE)
			.computeIfPresent(bundle.id(), (id, record) -> record + " cancelled 0 0 0 0 0");
		assertThat(info(application, bundle).restCancelled()).isTrue();
		bundle.close();
		AdminScripts store = application.bean(AdminScripts.class);
		redis.client()
			.<String>getScoredSortedSet("redelay:{" + this.done + "}:bundles:due", StringCodec.INSTANCE)
			.add(0, bundle.id());
		try (BundleSweeper sweeper = new BundleSweeper(store.bundles(), new BundleCancellation(store), (queue) -> {
		}, Scheduler.unclosed(Runnable::run), Duration.ofHours(1), Duration.ofHours(1))) {
			sweeper.sweep().join();
		}
		assertThat(summary(application).cancelled()).isEqualTo(1);
	}

	@Test
	void theFirstDeathSendsAMessageOnceThatSaysWhichOneDied() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done)
			.id("watched")
			.onFirstDeath(OutboundMessage.to(this.alarms, "alarm").header("mail", "a@b.c")));
		bundle.add(line("good"));
		Waiting.await().until(() -> info(application, bundle).acknowledged() == 1);
		assertThat(application.bean(Handlers.class).alarms).isEmpty();
		bundle.add(line("bad").id("the first"));
		Map<String, Object> alarm = application.bean(Handlers.class).alarms.poll(60, TimeUnit.SECONDS);
		assertThat(alarm).containsEntry("payload", "alarm")
			.containsEntry("mail", "a@b.c")
			.containsEntry(QueueHeaders.BUNDLE, "watched")
			.containsEntry(QueueHeaders.BUNDLE_QUEUE, this.done)
			.containsEntry(QueueHeaders.ORIGINAL_QUEUE, this.lines)
			.containsEntry(QueueHeaders.ORIGINAL_ID, "the first")
			.containsEntry(QueueHeaders.DEATH_REASON, "REJECTED")
			.containsEntry(QueueHeaders.DEATH_EXCEPTION, RejectMessageException.class.getName())
			.containsEntry(QueueHeaders.DEATH_MESSAGE, "the line \"queue\": bad");
		bundle.add(line("bad").id("the second"));
		bundle.close();
		assertThat(summary(application).dead()).isEqualTo(2);
		Waiting.await().until(() -> admin(application).queues().info(this.alarms).inFlight() == 0);
		assertThat(admin(application).queues().info(this.alarms).ready()).isZero();
		assertThat(application.bean(Handlers.class).alarms).isEmpty();
		assertNothingIsLeft();
	}

	@Test
	void aBundleWithoutDeathsSendsNoSuchMessage() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).onFirstDeath(this.alarms, "alarm").keepResults(),
				List.of(line("good")));
		assertThat(summary(application).allAcknowledged()).isTrue();
		assertNothingIsLeft();
		assertThat(application.bean(Handlers.class).alarms).isEmpty();
		assertThat(application.context().getBean(QueueAdmin.class).queues().info(this.alarms).ready()).isZero();
	}

	@Test
	void aMessageThatCannotBeSentAtADeathIsRefusedWhenTheBundleIsOpened() {
		ListenerApplication application = start();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> bundles(application).open(BundleCallback.to(this.done)
				.onFirstDeath(OutboundMessage.to(this.alarms, Map.of("x", 1))
					.deduplicate(Deduplication.aggregate("k", Duration.ofSeconds(1), 10)))))
			.withMessageContaining("first death");
		assertThat(admin(application).queues().names()).doesNotContain(this.alarms + "-none");
	}

	private OutboundMessage line(String line) {
		return OutboundMessage.to(this.lines, line);
	}

	private ListenerApplication start(String... properties) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.beans(Handlers.class)
			.with("test.lines", this.lines)
			.with("test.slow", this.slow)
			.with("test.alarms", this.alarms)
			.with("test.done", this.done)
			.with("redelay.queue.safety-poll-interval", "200ms");
		for (String property : properties) {
			builder.with(property.split("=")[0], property.split("=")[1]);
		}
		ListenerApplication application = builder.start();
		this.applications.add(application);
		return application;
	}

	private static MessageBundles bundles(ListenerApplication application) {
		return application.bean(MessageBundles.class);
	}

	private static QueueAdmin admin(ListenerApplication application) {
		return application.bean(QueueAdmin.class);
	}

	private static BundleInfo info(ListenerApplication application, Bundle bundle) {
		return admin(application).queues().bundle(bundle.queue(), bundle.id()).orElseThrow();
	}

	private static List<String> handled(ListenerApplication... applications) {
		return List.of(applications)
			.stream()
			.flatMap((application) -> application.bean(Handlers.class).handled.stream())
			.toList();
	}

	private static BundleSummary summary(ListenerApplication... applications) {
		List<BundleSummary> found = new ArrayList<>();
		Waiting.await().until(() -> {
			for (ListenerApplication application : applications) {
				application.bean(Handlers.class).summaries.drainTo(found);
			}
			return !found.isEmpty();
		});
		assertThat(found).hasSize(1);
		return found.get(0);
	}

	private void assertNothingIsLeft() {
		String base = "redelay:{" + this.done + "}:bundles";
		Waiting.await()
			.untilAsserted(() -> assertThat(redis.client()
				.getKeys()
				.countExists(base, base + ":callbacks", base + ":pending", base + ":due", base + ":results")).isZero());
	}

	static class Handlers {

		final BlockingQueue<BundleSummary> summaries = new LinkedBlockingQueue<>();

		final BlockingQueue<Map<String, Object>> alarms = new LinkedBlockingQueue<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final MessageBundles bundles;

		Handlers(MessageBundles bundles) {
			this.bundles = bundles;
		}

		@QueueListener(queues = "${test.lines}", concurrency = "2")
		void line(String line, @Headers Map<String, Object> headers) {
			boolean again = this.seen.contains(line);
			this.seen.add(line);
			if (line.equals("bad") || line.equals("once bad") && !again) {
				throw new RejectMessageException("the line \"queue\": " + line);
			}
			if (line.equals("fails")) {
				throw new IllegalStateException(line);
			}
			if (line.equals("opens inner")) {
				this.bundles.send(BundleCallback.to(String.valueOf(headers.get(QueueHeaders.BUNDLE_QUEUE))).id("inner"),
						List.of(OutboundMessage.to(String.valueOf(headers.get(QueueHeaders.QUEUE)), "of inner")
							.delay(Duration.ofHours(1))));
			}
			this.handled.add(line);
		}

		/**
		 * Goes on until it is cancelled.
		 */
		@QueueListener("${test.slow}")
		void slow(String line, CancellationToken token, @Header(QueueHeaders.BUNDLE) String bundle,
				@Header(QueueHeaders.BUNDLE_QUEUE) String queue) throws InterruptedException {
			this.handled.add(line);
			CountDownLatch cancelled = new CountDownLatch(1);
			token.onCancel((reason) -> cancelled.countDown());
			if (line.equals("gives up")) {
				this.bundles.bundle(queue, bundle).cancelRest();
			}
			if (cancelled.await(60, TimeUnit.SECONDS)) {
				this.handled.add("stopped " + line);
			}
			token.throwIfCancelled();
		}

		@QueueListener("${test.alarms}")
		void alarm(String alarm, @Headers Map<String, Object> headers) {
			Map<String, Object> all = new java.util.HashMap<>(headers);
			all.put("payload", alarm);
			this.alarms.add(all);
		}

		@QueueListener("${test.done}")
		void done(BundleSummary summary) {
			this.summaries.add(summary);
		}

	}

}
