package io.redelay.queue.recurring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of recurring messages when their queue is deleted.
 */
class RecurringDeletionIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void aQueueWithARecurringMessageIsNotDeletedAlthoughThatIsPausedAndHasNoTick() {
		try (ListenerApplication application = application()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "report", Duration.ofHours(1)));
			assertRefused(admin);
			recurring.pause(this.queue, "report");
			assertThat(admin.queues().info(this.queue).scheduled()).isZero();
			assertRefused(admin);
			assertThat(recurring.find(this.queue, "report")).isPresent();
			recurring.remove(this.queue, "report");
			admin.control().delete(this.queue);
			assertThat(admin.queues().names()).doesNotContain(this.queue);
			assertThat(application.bean(Events.class).all).isEmpty();
		}
	}

	private void assertRefused(QueueAdmin admin) {
		assertThatExceptionOfType(QueueException.class).isThrownBy(() -> admin.control().delete(this.queue))
			.withMessageContaining("'report'")
			.withMessageContaining(this.queue)
			.withMessageContaining("RecurringMessages.remove")
			.withMessageContaining("deleteWithMessages");
		assertThat(admin.queues().names()).contains(this.queue);
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void theRecurringMessagesOfAQueueThatIsDeletedWithItsMessagesAreReported(CapturedLog log) {
		try (ListenerApplication declarer = application(); ListenerApplication other = application()) {
			RecurringMessages recurring = declarer.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "report", Duration.ofHours(1)));
			recurring.declare(RecurringDeclaration.every(this.queue, "paused", Duration.ofHours(1)));
			recurring.declare(RecurringDeclaration.every(this.queue, "removed", Duration.ofHours(1)));
			recurring.pause(this.queue, "paused");
			recurring.remove(this.queue, "removed");
			RecurringInfo info = recurring.find(this.queue, "report").orElseThrow();
			other.bean(QueueAdmin.class).control().deleteWithMessages(this.queue);
			List<RecurringEvent> events = other.bean(Events.class).all;
			Waiting.await().until(() -> events.size() == 2);
			assertThat(events).extracting(RecurringEvent::kind).containsOnly(Kind.DELETED);
			assertThat(events).extracting(RecurringEvent::queue).containsOnly(this.queue);
			assertThat(events).filteredOn((event) -> event.name().equals("report"))
				.singleElement()
				.satisfies((event) -> assertThat(event.tick()).isEqualTo(info.nextRuns().get(0)));
			assertThat(events).extracting(RecurringEvent::name).containsExactlyInAnyOrder("report", "paused");
			assertThat(log.entriesWith("WARN", "'report'", this.queue, "was removed with its queue")).hasSize(1);
			assertThat(recurring.find(this.queue, "report")).isEmpty();
			assertThat(other.bean(QueueAdmin.class).queues().names()).doesNotContain(this.queue);
		}
	}

	@Test
	void whatTheCodeDeclaresIsReportedAndComesBack() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Events.class)
			.with("redelay.queue.recurring.report.queue", this.queue)
			.with("redelay.queue.recurring.report.every", "1h")
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			Waiting.await().until(() -> recurring.find(this.queue, "report").isPresent());
			application.bean(QueueAdmin.class).control().deleteWithMessages(this.queue);
			Waiting.await().until(() -> !application.bean(Events.class).all.isEmpty());
			assertThat(application.bean(Events.class).all).extracting(RecurringEvent::kind).containsOnly(Kind.DELETED);
			assertThat(recurring.find(this.queue, "report")).isPresent();
			recurring.remove(this.queue, "report");
		}
	}

	private ListenerApplication application() {
		return ListenerApplication.on(redis)
			.beans(Events.class)
			.with("redelay.queue.queues." + this.queue + ".partitions", 2)
			.start();
	}

	static class Events {

		final List<RecurringEvent> all = new CopyOnWriteArrayList<>();

		@EventListener
		void on(RecurringEvent event) {
			this.all.add(event);
		}

	}

}
