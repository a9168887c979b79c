package io.redelay.queue.bundle.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.Deduplication;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleDeath;
import io.redelay.queue.bundle.BundleEndedException;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RList;
import org.redisson.api.RMap;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of bundles through the public API, with two instances where that matters.
 */
class BundleIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String lines = TestRedis.queue();

	private final String done = TestRedis.queue();

	private final List<ListenerApplication> applications = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.applications.forEach(ListenerApplication::close);
	}

	@Test
	void theCallbackReportsHowAllEnded() throws InterruptedException {
		ListenerApplication application = start();
		List<OutboundMessage> messages = IntStream.range(0, 50)
			.mapToObj((i) -> OutboundMessage.to(this.lines, ((i % 10 == 3) ? "bad-" : "good-") + i).id("line " + i))
			.toList();
		bundles(application).send(BundleCallback.to(this.done).id("import-1").header("mail", "a@b.c"), messages);
		BundleSummary summary = summary(application);
		assertThat(summary.queue()).isEqualTo(this.done);
		assertThat(summary.id()).isEqualTo("import-1");
		assertThat(summary.total()).isEqualTo(50);
		assertThat(summary.acknowledged()).isEqualTo(45);
		assertThat(summary.dead()).isEqualTo(5);
		assertThat(summary.allAcknowledged()).isFalse();
		assertThat(summary.timedOut()).isFalse();
		assertThat(summary.endedAt()).isAfterOrEqualTo(summary.openedAt());
		assertThat(summary.deaths()).extracting(BundleDeath::id)
			.containsExactlyInAnyOrder("line 3", "line 13", "line 23", "line 33", "line 43");
		assertThat(summary.deaths()).allSatisfy((death) -> {
			assertThat(death.queue()).isEqualTo(this.lines);
			assertThat(death.reason()).isEqualTo(DeathReason.REJECTED);
			assertThat(death.message()).contains("bad");
		});
		Handlers handlers = application.bean(Handlers.class);
		assertThat(handlers.mails).containsExactly("a@b.c");
		assertThat(handlers.bundlesOfLines).containsOnly(this.done + "/import-1");
		assertNothingIsLeft(application);
	}

	@Test
	void ofTwoInstancesOneHandlesTheCallbackOnce() throws InterruptedException {
		ListenerApplication one = start();
		ListenerApplication two = start();
		for (int i = 0; i < 5; i++) {
			bundles((i % 2 == 0) ? one : two).send(BundleCallback.to(this.done).id("b" + i),
					IntStream.range(0, 40).mapToObj((n) -> OutboundMessage.to(this.lines, "good-" + n)).toList());
		}
		Waiting.await()
			.until(() -> one.bean(Handlers.class).summaries.size() + two.bean(Handlers.class).summaries.size() >= 5);
		assertNothingIsLeft(one);
		List<BundleSummary> summaries = new CopyOnWriteArrayList<>(one.bean(Handlers.class).summaries);
		summaries.addAll(two.bean(Handlers.class).summaries);
		assertThat(summaries).extracting(BundleSummary::id).containsExactlyInAnyOrder("b0", "b1", "b2", "b3", "b4");
		assertThat(summaries).allSatisfy((summary) -> assertThat(summary.acknowledged()).isEqualTo(40));
	}

	@Test
	void anOpenBundleWaitsUntilItIsClosed() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		bundle.add(OutboundMessage.to(this.lines, "good-1"));
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		bundles(application).bundle(this.done, bundle.id()).add(OutboundMessage.to(this.lines, "good-2"));
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		BundleInfo info = info(application, bundle);
		assertThat(info.open()).isTrue();
		assertThat(info.acknowledged()).isEqualTo(2);
		assertThat(application.bean(Handlers.class).summaries).isEmpty();
		bundle.close();
		assertThat(summary(application).total()).isEqualTo(2);
		assertThatExceptionOfType(BundleEndedException.class)
			.isThrownBy(() -> bundle.add(OutboundMessage.to(this.lines, "good-3")))
			.withMessageContaining(bundle.id())
			.withMessageContaining(this.done);
		assertThatExceptionOfType(BundleEndedException.class).isThrownBy(bundle::close);
	}

	@Test
	void aHandlerAddsToTheBundleOfItsMessage() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done),
				List.of(OutboundMessage.to(this.lines, "more-3"), OutboundMessage.to(this.lines, "good")));
		assertThat(summary(application).acknowledged()).isEqualTo(5);
	}

	@Test
	void aBundleWithoutMessagesEndsAtOnce() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).id("empty"), List.of());
		assertThat(summary(application)).satisfies((summary) -> assertThat(summary.total()).isZero());
	}

	@Test
	void moreThanAThousandMessagesGoInParts() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done),
				IntStream.range(0, 2500).mapToObj((i) -> OutboundMessage.to(this.lines, "good-" + i)).toList());
		assertThat(summary(application).acknowledged()).isEqualTo(2500);
	}

	@Test
	void messagesThatAreNotHandledEnd() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done),
				List.of(OutboundMessage.to(this.lines, "good-1").id("a").delay(Duration.ofHours(1)),
						OutboundMessage.to(this.lines, "good-2").id("a"),
						OutboundMessage.to(this.lines, "good-3")
							.deduplicate(Deduplication.firstWins("k", Duration.ofHours(1)))
							.delay(Duration.ofHours(1)),
						OutboundMessage.to(this.lines, "good-4")
							.deduplicate(Deduplication.firstWins("k", Duration.ofHours(1)))
							.delay(Duration.ofHours(1)),
						OutboundMessage.to(this.lines, "good-5")
							.deduplicate(Deduplication.debounce("d", Duration.ofHours(1), Duration.ofHours(2))),
						OutboundMessage.to(this.lines, "good-6")
							.deduplicate(Deduplication.debounce("d", Duration.ofHours(1), Duration.ofHours(2))),
						OutboundMessage.to(this.lines, "good-7")));
		QueueAdmin admin = application.bean(QueueAdmin.class);
		// The first ones with the id and with the key, and the newest one of the other
		// key.
		Waiting.await().until(() -> admin.queues().info(this.lines).scheduled() == 3);
		admin.messages().cancel(this.lines, "a");
		assertThat(admin.control().purge(this.lines, MessageState.SCHEDULED)).isEqualTo(2);
		BundleSummary summary = summary(application);
		assertThat(summary.duplicate()).isEqualTo(2);
		assertThat(summary.replaced()).isEqualTo(1);
		assertThat(summary.cancelled()).isEqualTo(1);
		assertThat(summary.purged()).isEqualTo(2);
		assertThat(summary.acknowledged()).isEqualTo(1);
		assertThat(summary.total()).isEqualTo(7);
	}

	@Test
	void whatExpiresEndsWhetherItIsKeptOrNot() throws InterruptedException {
		ListenerApplication application = start();
		QueueAdmin admin = application.bean(QueueAdmin.class);
		application.queues().send(this.lines, "good-0");
		admin.control().pause(this.lines);
		bundles(application).send(BundleCallback.to(this.done),
				List.of(OutboundMessage.to(this.lines, "good-1").timeToLive(Duration.ofMillis(1), ExpiryAction.DROP),
						OutboundMessage.to(this.lines, "good-2").timeToLive(Duration.ofMillis(1), ExpiryAction.BURY)));
		Waiting.await().until(() -> redis.client().getKeys().countExists("redelay:{" + this.done + "}:outbox") == 0);
		admin.control().resume(this.lines);
		BundleSummary summary = summary(application);
		assertThat(summary.expired()).isEqualTo(1);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.deaths()).extracting(BundleDeath::reason).containsExactly(DeathReason.EXPIRED);
	}

	@Test
	void noMessageOvertakesOneThatExpires() {
		ListenerApplication application = start();
		application.queues().send(this.lines, "good-0");
		Waiting.await().until(() -> application.bean(Handlers.class).all.contains("good-0"));
		application.bean(QueueAdmin.class).control().pause(this.lines);
		bundles(application).send(BundleCallback.to(this.done),
				List.of(OutboundMessage.to(this.lines, "good-1").timeToLive(Duration.ofHours(1)),
						OutboundMessage.to(this.lines, "good-2")));
		RList<String> ready = redis.client().getList("redelay:{" + this.lines + "}:ready", StringCodec.INSTANCE);
		RMap<String, String> messages = redis.client()
			.getMap("redelay:{" + this.lines + "}:messages", StringCodec.INSTANCE);
		Waiting.await().until(() -> ready.size() == 2);
		assertThat(ready.readAll()).extracting(messages::get)
			.satisfiesExactly((first) -> assertThat(first).contains("good-1"),
					(second) -> assertThat(second).contains("good-2"));
	}

	@Test
	void aDeletedQueueLeavesNoBundleStuck() throws InterruptedException {
		ListenerApplication application = start();
		String other = TestRedis.queue();
		bundles(application).send(BundleCallback.to(this.done).id("stuck"),
				List.of(OutboundMessage.to(other, "good-7"), OutboundMessage.to(this.lines, "good")));
		QueueAdmin admin = application.bean(QueueAdmin.class);
		Waiting.await().until(() -> admin.queues().names().contains(other) && admin.queues().info(other).ready() == 1);
		Waiting.await().until(() -> admin.queues().bundle(this.done, "stuck").orElseThrow().pending() == 1);
		sweep(application, Duration.ZERO);
		assertThat(admin.queues().bundle(this.done, "stuck").orElseThrow().pending()).as("it is there").isEqualTo(1);
		admin.control().deleteWithMessages(other);
		sweep(application, Duration.ofHours(1));
		assertThat(admin.queues().bundle(this.done, "stuck").orElseThrow().pending()).as("it may yet come")
			.isEqualTo(1);
		sweep(application, Duration.ZERO);
		BundleSummary summary = summary(application);
		assertThat(summary.unaccounted()).isEqualTo(1);
		assertThat(summary.acknowledged()).isEqualTo(1);
	}

	@Test
	void aBundleThatIsNotClosedEndsAfterItsTime() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done).longestOpen(Duration.ofSeconds(1)));
		bundle.add(OutboundMessage.to(this.lines, "good"));
		Waiting.await().until(() -> {
			sweep(application, Duration.ofHours(1));
			return application.bean(QueueAdmin.class).queues().bundle(this.done, bundle.id()).isEmpty();
		});
		assertThat(summary(application)).satisfies((summary) -> {
			assertThat(summary.timedOut()).isTrue();
			assertThat(summary.acknowledged()).isEqualTo(1);
		});
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aQueueWhoseBundlesCannotBeLookedAtKeepsNoOtherWaiting(CapturedLog log) throws InterruptedException {
		String broken = "a-" + this.done;
		redis.client().<String>getSet("redelay:bundled", StringCodec.INSTANCE).add(broken);
		redis.client().getBucket("redelay:{" + broken + "}:known", StringCodec.INSTANCE).set("1");
		redis.client().getBucket("redelay:{" + broken + "}:bundles:due", StringCodec.INSTANCE).set("no sorted set");
		try {
			aBundleThatIsNotClosedEndsAfterItsTime();
			assertThat(log.entriesWith("WARN", "'" + broken + "'", "which is tried again")).isNotEmpty();
		}
		finally {
			redis.client().<String>getSet("redelay:bundled", StringCodec.INSTANCE).remove(broken);
		}
	}

	@Test
	void inATransactionItWaitsForTheCommit() throws InterruptedException {
		ListenerApplication application = start();
		TransactionTemplate transactions = new TransactionTemplate(new NothingToCommit());
		transactions.executeWithoutResult((status) -> {
			bundles(application).send(BundleCallback.to(this.done).id("undone"),
					List.of(OutboundMessage.to(this.lines, "good-1")));
			status.setRollbackOnly();
		});
		transactions.executeWithoutResult((status) -> {
			Bundle bundle = bundles(application).open(BundleCallback.to(this.done).id("committed"));
			bundle.add(OutboundMessage.to(this.lines, "good-2"));
			bundle.close();
			assertThat(application.bean(AdminScripts.class)
				.bundles()
				.bundles()
				.find(this.done, "committed")
				.join()
				.bundles()).isEmpty();
		});
		assertThat(summary(application).id()).isEqualTo("committed");
		assertThat(application.bean(Handlers.class).all).containsExactly("good-2");
	}

	@Test
	void whatCannotBeReportedIsRefused() {
		ListenerApplication application = start();
		MessageBundles bundles = bundles(application);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> bundles.send(BundleCallback.to(this.done),
					List.of(OutboundMessage.to(this.lines, Map.of("x", 1))
						.deduplicate(Deduplication.aggregate("k", Duration.ofSeconds(1), 10)))))
			.withMessageContaining("cannot be sent in a bundle");
		assertThatIllegalArgumentException().isThrownBy(() -> BundleCallback.to(this.done).id("a/b"))
			.withMessageContaining("'a/b'");
		assertThatIllegalArgumentException().isThrownBy(() -> BundleCallback.to("a b")).withMessageContaining("'a b'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> bundles.open(BundleCallback.to(this.done).header(QueueHeaders.ID, "x")))
			.withMessageContaining(QueueHeaders.ID);
		assertThatExceptionOfType(BundleEndedException.class)
			.isThrownBy(() -> bundles.bundle(this.done, "never").add(OutboundMessage.to(this.lines, "x")));
	}

	@Test
	void aQueueWithoutBundlesHasNoKeysForThem() throws InterruptedException {
		ListenerApplication application = start();
		application.queues().send(this.lines, "good-1");
		Waiting.await().until(() -> application.bean(Handlers.class).all.contains("good-1"));
		Waiting.await().until(() -> application.bean(QueueAdmin.class).queues().info(this.lines).inFlight() == 0);
		assertThat(redis.client()
			.getKeys()
			.getKeysStream(KeysScanOptions.defaults().pattern("redelay:{" + this.lines + "}:*")))
			.noneMatch((key) -> key.matches(".*:(bundles.*|outbox|keys)"));
	}

	/**
	 * Has the bundles of the server looked after that are due by now.
	 */
	private void sweep(ListenerApplication application, Duration quiet) {
		AdminScripts store = application.bean(AdminScripts.class);
		String due = "redelay:{" + this.done + "}:bundles:due";
		redis.client()
			.<String>getScoredSortedSet(due, StringCodec.INSTANCE)
			.readAll()
			.forEach((id) -> redis.client().<String>getScoredSortedSet(due, StringCodec.INSTANCE).add(0, id));
		try (BundleSweeper sweeper = new BundleSweeper(store.bundles(), new BundleCancellation(store), (queue) -> {
		}, Scheduler.unclosed(Runnable::run), Duration.ofHours(1), quiet)) {
			sweeper.sweep().join();
		}
	}

	private ListenerApplication start() {
		ListenerApplication application = ListenerApplication.on(redis)
			.beans(Handlers.class)
			.with("test.lines", this.lines)
			.with("test.done", this.done)
			.with("redelay.queue.safety-poll-interval", "200ms")
			.start();
		this.applications.add(application);
		return application;
	}

	private static MessageBundles bundles(ListenerApplication application) {
		return application.bean(MessageBundles.class);
	}

	private static BundleSummary summary(ListenerApplication application) throws InterruptedException {
		BundleSummary summary = application.bean(Handlers.class).summaries.poll(60, TimeUnit.SECONDS);
		assertThat(summary).as("a callback within 30 s").isNotNull();
		return summary;
	}

	private BundleInfo info(ListenerApplication application, Bundle bundle) {
		List<BundleInfo> all = application.bean(QueueAdmin.class).queues().bundles(this.done);
		assertThat(all).hasSize(1);
		assertThat(application.bean(QueueAdmin.class).queues().bundle(this.done, bundle.id()))
			.hasValueSatisfying((info) -> assertThat(info.id()).isEqualTo(all.get(0).id()));
		return all.get(0);
	}

	private void assertNothingIsLeft(ListenerApplication application) {
		assertThat(application.bean(QueueAdmin.class).queues().bundles(this.done)).isEmpty();
		Waiting.await()
			.untilAsserted(() -> assertThat(redis.client()
				.getKeys()
				.getKeysStream(KeysScanOptions.defaults().pattern("redelay:{" + this.done + "}:bundles*"))).isEmpty());
	}

	static class Handlers {

		final BlockingQueue<BundleSummary> summaries = new LinkedBlockingQueue<>();

		final List<String> mails = new CopyOnWriteArrayList<>();

		final List<String> all = new CopyOnWriteArrayList<>();

		final ConcurrentLinkedQueue<String> bundlesOfLines = new ConcurrentLinkedQueue<>();

		private final MessageBundles bundles;

		Handlers(MessageBundles bundles) {
			this.bundles = bundles;
		}

		@QueueListener(queues = "${test.lines}", concurrency = "4")
		void line(String line, @Headers Map<String, Object> headers) {
			String queue = String.valueOf(headers.get(QueueHeaders.BUNDLE_QUEUE));
			String id = String.valueOf(headers.get(QueueHeaders.BUNDLE));
			this.bundlesOfLines.add(queue + "/" + id);
			if (line.startsWith("bad-")) {
				throw new RejectMessageException(line);
			}
			if (line.startsWith("more-")) {
				int more = Integer.parseInt(line.substring(5));
				this.bundles.bundle(queue, id)
					.add(OutboundMessage.to(String.valueOf(headers.get(QueueHeaders.QUEUE)),
							(more > 1) ? "more-" + (more - 1) : "good"));
			}
			this.all.add(line);
		}

		@QueueListener("${test.done}")
		void done(BundleSummary summary, @Header(name = "mail", required = false) @Nullable String mail) {
			if (mail != null) {
				this.mails.add(mail);
			}
			this.summaries.add(summary);
		}

	}

	/**
	 * Transactions of nothing.
	 */
	@SuppressWarnings("serial")
	private static final class NothingToCommit extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, org.springframework.transaction.TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
