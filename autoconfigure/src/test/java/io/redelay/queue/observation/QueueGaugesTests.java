package io.redelay.queue.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.QueueStatus;
import io.redelay.scheduling.QueueThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueGauges}.
 */
class QueueGaugesTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final QueueTags tags = new QueueTags(2);

	private final MicrometerQueueMeter meter = new MicrometerQueueMeter(this.registry, this.tags);

	private final QueueThreads threads = QueueThreads.platform();

	private final Looks looks = new Looks();

	private final QueueGauges gauges = new QueueGauges(this.registry, this.looks, this.tags, this.meter,
			this.threads.scheduler());

	@AfterEach
	void shutDown() {
		this.looks.answer.countDown();
		this.threads.close();
	}

	@Test
	void showsEachQueue() {
		this.looks.see(queue("orders", 7));
		awaitQueues(1);
		assertThat(read("redelay.queue.ready", "orders")).isEqualTo(7);
		assertThat(read("redelay.queue.scheduled", "orders")).isEqualTo(8);
		assertThat(read("redelay.queue.inflight", "orders")).isEqualTo(9);
		assertThat(read("redelay.queue.dead", "orders")).isEqualTo(10);
		assertThat(read("redelay.queue.packed", "orders")).isEqualTo(11);
		assertThat(read("redelay.queue.packed.late", "orders")).isBetween(60.0, 120.0);
		assertThat(read("redelay.queue.oldest.ready.age", "orders")).isEqualTo(7.5);
		assertThat(read("redelay.queue.consumers", "orders")).isEqualTo(2);
		assertThat(read("redelay.queue.permits.used", "orders")).isEqualTo(3);
		assertThat(read("redelay.queue.permits.max", "orders")).isEqualTo(4);
		assertThat(read("redelay.queue.paused", "orders")).isOne();
		assertThat(read("redelay.queue.behind", "orders")).isOne();
		assertThat(this.gauges).isNotNull();
	}

	@Test
	void eachKindOfTroubleThatAQueueHadHasAGauge() {
		this.looks.see(troubled("orders", Kind.KEEPING_UP, Severity.INFO), queue("mails", 1));
		awaitQueues(2);
		assertThat(this.registry.find("redelay.queue.trouble").gauges()).isEmpty();
		this.looks.see(troubled("orders", Kind.SLOW_HANDLER, Severity.WARNING), queue("mails", 1));
		Awaitility.await().untilAsserted(() -> assertThat(trouble("orders", "slow_handler")).isOne());
		this.looks.see(troubled("orders", Kind.NO_CONSUMER, Severity.CRITICAL), queue("mails", 1));
		Awaitility.await().untilAsserted(() -> assertThat(trouble("orders", "no_consumer")).isEqualTo(2));
		assertThat(trouble("orders", "slow_handler")).isZero();
		this.looks.see(queue("mails", 1));
		Awaitility.await().untilAsserted(() -> {
			read("redelay.queues");
			assertThat(this.registry.find("redelay.queue.trouble").gauges()).isEmpty();
		});
		this.looks.see(troubled("orders", Kind.NO_CONSUMER, Severity.WARNING), queue("mails", 1));
		Awaitility.await().untilAsserted(() -> assertThat(trouble("orders", "no_consumer")).isOne());
	}

	@Test
	void theTroubleOfQueuesThatAreTooManyIsTheWorst() {
		this.looks.see(queue("a", 1), queue("b", 2), troubled("c", Kind.LOCKED, Severity.CRITICAL),
				troubled("d", Kind.LOCKED, Severity.WARNING), troubled("e", Kind.FAILING, Severity.WARNING));
		awaitQueues(5);
		assertThat(trouble("other", "locked")).isEqualTo(2);
		assertThat(trouble("other", "failing")).isOne();
	}

	private double trouble(String queue, String kind) {
		read("redelay.queues");
		Gauge gauge = this.registry.find("redelay.queue.trouble").tags(QueueTags.QUEUE, queue, "kind", kind).gauge();
		return (gauge != null) ? gauge.value() : -1;
	}

	@Test
	void asksOnlyWhenItIsRead() {
		this.looks.see(queue("orders", 7));
		assertThat(this.looks.asked).hasValue(0);
		awaitQueues(1);
		for (int i = 0; i < 100; i++) {
			read("redelay.queue.ready", "orders");
		}
		// One in a second, and a slow machine may need more than one second.
		assertThat(this.looks.asked).hasValueLessThan(50);
	}

	@Test
	void theMetersOfADeletedQueueDisappear() {
		this.looks.see(queue("orders", 7), queue("mails", 1));
		this.meter.sent("orders", 1, 1);
		this.meter.sent("mails", 1, 1);
		Tags ofObservation = Tags.of(QueueTags.SYSTEM, "redelay", QueueTags.QUEUE, "orders");
		this.registry.timer("messaging.process.duration", ofObservation).record(Duration.ofMillis(1));
		this.registry.counter("shop.orders", ofObservation).increment();
		awaitQueues(2);
		this.looks.see(queue("mails", 1));
		Awaitility.await().untilAsserted(() -> {
			assertThat(read("redelay.queues")).isOne();
			assertThat(this.registry.getMeters()).extracting(Meter::getId)
				.filteredOn((id) -> "orders".equals(id.getTag(QueueTags.QUEUE)))
				.extracting(Meter.Id::getName)
				.containsExactly("shop.orders");
		});
		assertThat(read("redelay.queue.ready", "mails")).isOne();
		assertThat(this.registry.get("messaging.client.sent.messages").tag(QueueTags.QUEUE, "mails").counter().count())
			.isOne();
	}

	@Test
	void whatIsMeasuredOfADeletedQueueLaterDisappearsAsWell() {
		this.looks.see(queue("orders", 7));
		awaitQueues(1);
		this.looks.see(queue("mails", 1));
		this.meter.sent("mails", 1, 1);
		Awaitility.await().untilAsserted(() -> {
			read("redelay.queues");
			assertThat(metersOf("orders")).isEmpty();
		});
		this.meter.claimed("orders", 0, 1);
		assertThat(metersOf("orders")).isNotEmpty();
		Awaitility.await().untilAsserted(() -> {
			read("redelay.queues");
			assertThat(metersOf("orders")).isEmpty();
		});
		assertThat(metersOf("mails")).contains("messaging.client.sent.messages", "redelay.queue.ready");
	}

	@Test
	void aNewQueueThatALookMissesKeepsItsMeters() {
		this.looks.see(queue("mails", 1));
		awaitQueues(1);
		this.meter.sent("orders", 1, 1);
		this.looks.time = Instant.now();
		int asked = this.looks.asked.get();
		Awaitility.await().untilAsserted(() -> {
			read("redelay.queues");
			assertThat(this.looks.asked).hasValueGreaterThan(asked + 2);
		});
		assertThat(metersOf("orders")).as("all looks began before it was missed first").isNotEmpty();
		this.looks.time = null;
		this.looks.see(queue("mails", 1), queue("orders", 1));
		awaitQueues(2);
		assertThat(this.registry.get("messaging.client.sent.messages").tag(QueueTags.QUEUE, "orders").counter().count())
			.isOne();
	}

	@Test
	void aQueueThatCannotBeLookedAtKeepsItsMeters() {
		this.looks.see(queue("mails", 1), queue("orders", 7));
		awaitQueues(2);
		this.meter.sent("orders", 1, 1);
		this.looks.failed = Set.of("orders");
		this.looks.see(queue("mails", 1));
		awaitQueues(1);
		int asked = this.looks.asked.get();
		Awaitility.await().untilAsserted(() -> {
			assertThat(read("redelay.queue.ready", "orders")).isNaN();
			assertThat(this.looks.asked).hasValueGreaterThan(asked + 2);
		});
		assertThat(metersOf("orders")).contains("messaging.client.sent.messages", "redelay.queue.ready");
		this.looks.failed = Set.of();
		this.looks.see(queue("mails", 1), queue("orders", 7));
		Awaitility.await().untilAsserted(() -> assertThat(read("redelay.queue.ready", "orders")).isEqualTo(7));
	}

	private List<String> metersOf(String queue) {
		return this.registry.getMeters()
			.stream()
			.filter((meter) -> queue.equals(meter.getId().getTag(QueueTags.QUEUE)))
			.map((meter) -> meter.getId().getName())
			.toList();
	}

	@Test
	void queuesThatAreTooManyAddUp() {
		this.looks.see(queue("a", 1), queue("b", 2), queue("c", 3), queue("d", 4));
		awaitQueues(4);
		assertThat(read("redelay.queue.ready", "a")).isOne();
		assertThat(read("redelay.queue.ready", "b")).isEqualTo(2);
		assertThat(read("redelay.queue.ready", "other")).isEqualTo(7);
		assertThat(read("redelay.queue.oldest.ready.age", "other")).isEqualTo(4.5);
		assertThat(this.registry.find("redelay.queue.ready").gauges()).hasSize(3);
	}

	@Test
	void aReaderDoesNotWaitLongWhileRedisIsAway() {
		this.looks.answer = new CountDownLatch(1);
		this.looks.see(queue("orders", 7));
		assertThat(read("redelay.queues")).isNaN();
		this.looks.answer.countDown();
		Awaitility.await().untilAsserted(() -> assertThat(read("redelay.queues")).isOne());
	}

	@Test
	void whatIsOldIsNotShown() {
		this.looks.time = Instant.now().minus(Duration.ofMinutes(10));
		this.looks.see(queue("orders", 7));
		assertThat(read("redelay.queues")).isNaN();
		assertThat(read("redelay.queue.ready", "orders")).isNaN();
	}

	@Test
	void aLookThatFailsChangesNothing() {
		assertThat(read("redelay.queues")).isNaN();
		this.looks.see(queue("orders", 7));
		Awaitility.await().untilAsserted(() -> assertThat(read("redelay.queues")).isOne());
	}

	/**
	 * A reader waits two seconds for another thread, and a machine may hold that up for
	 * longer.
	 */
	private void awaitQueues(int queues) {
		Awaitility.await().untilAsserted(() -> assertThat(read("redelay.queues")).isEqualTo(queues));
	}

	private double read(String name) {
		return this.registry.get(name).gauge().value();
	}

	private double read(String name, String queue) {
		Gauge gauge = this.registry.get(name).tag(QueueTags.QUEUE, queue).gauge();
		return gauge.value();
	}

	private static QueueSnapshot queue(String name, long ready) {
		return queue(name, ready, List.of());
	}

	private static QueueSnapshot troubled(String name, Kind kind, Severity severity) {
		return queue(name, 1, List.of(new QueueFinding(kind, severity, "", "", "", Map.of())));
	}

	private static QueueSnapshot queue(String name, long ready, List<QueueFinding> findings) {
		Duration age = Duration.ofMillis(ready * 1000 + 500);
		return new QueueSnapshot(
				new QueueInfo(name, ready + 1, ready, ready + 2, ready + 3, Instant.now().minusSeconds(60), age, true,
						false, null, 0, 0, 0, 0, ready + 4),
				new QueueDiagnosis(name, Instant.now(), QueueStatus.BEHIND, true, "", new QueueFigures(ready + 1, ready,
						ready + 2, ready + 3, 0, age, null, null, null, null, null, null, 2, 3, 4, null), findings));
	}

	private static final class Looks implements QueueSnapshots {

		private volatile @Nullable Map<String, QueueSnapshot> queues;

		private volatile CountDownLatch answer = new CountDownLatch(0);

		private volatile @Nullable Instant time;

		private volatile Set<String> failed = Set.of();

		private final AtomicInteger asked = new AtomicInteger();

		void see(QueueSnapshot... seen) {
			Map<String, QueueSnapshot> all = new TreeMap<>();
			List.of(seen).forEach((snapshot) -> all.put(snapshot.queue(), snapshot));
			this.queues = all;
		}

		@Override
		public synchronized Look latest() {
			this.asked.incrementAndGet();
			try {
				this.answer.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			Map<String, QueueSnapshot> seen = this.queues;
			if (seen == null) {
				throw new QueueBackendException("Redis gives no answer", new IllegalStateException("away"));
			}
			Instant given = this.time;
			return new Look((given != null) ? given : Instant.now(), seen, this.failed);
		}

	}

}
