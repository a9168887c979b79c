package io.redelay.docs;

// tag::imports[]
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collections;
import java.util.Comparator;
// tag::operations-imports[]
import java.util.List;
// end::operations-imports[]
import java.util.Optional;

import io.redelay.lock.LockAdmin;
// tag::operations-imports[]
import io.redelay.lock.LockInfo;
// end::operations-imports[]
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueCheck;
// tag::operations-imports[]
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFinding;
// end::operations-imports[]
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;

// end::imports[]

/**
 * The code of the chapter "Looking at queues and acting on them".
 */
class Administration {

	private final QueueAdmin admin;

	private final Orders orders;

	Administration(QueueAdmin admin, Orders orders) {
		this.admin = admin;
		this.orders = orders;
	}

	List<Boolean> acting() {
		// tag::acting[]
		Optional<QueuedMessage> message = this.admin.messages().find("reminders", "order-7"); // <1>
		CommandOutcome cancelled = this.admin.messages().cancel("reminders", "order-7"); // <2>
		CommandOutcome later = this.admin.messages().reschedule("reminders", "order-8", Duration.ofHours(2)); // <3>
		CommandOutcome now = this.admin.messages().runNow("reminders", "order-9"); // <4>
		// end::acting[]
		return List.of(message.isPresent(), cancelled.done(), later.done(), now.done());
	}

	// tag::cancelled[]
	@QueueListener("exports")
	void export(Export export, Acknowledgment acknowledgment) {
		for (String row : export.rows()) {
			if (acknowledgment.isCancelled()) {
				return;
			}
			this.orders.report("export " + row);
		}
	}
	// end::cancelled[]

	@QueueListener(queues = "uploads", maxAttempts = "1")
	void upload(String file) {
		throw new IllegalStateException("The store refuses " + file);
	}

	record Export(List<String> rows) {

	}

	RedriveResult deadLetters() {
		// tag::dead-letters[]
		List<DeadLetterCount> causes = this.admin.deadLetters().counts("uploads"); // <1>
		QueuePage letters = this.admin.deadLetters().browse("uploads", DeadLetterFilter.all(), 0, 20); // <2>
		RedriveResult all = this.admin.deadLetters().redrive("uploads", DeadLetterFilter.all()); // <3>
		this.admin.deadLetters().redrive("uploads", DeadLetterFilter.all().exception(IOException.class.getName()), 5); // <4>
		// end::dead-letters[]
		this.orders.report(causes.get(0).count() + " of " + letters.messages().size());
		return all;
	}

	void running() {
		// tag::running[]
		List<RunningHandler> running = this.admin.handlers().running().handlers(); // <1>
		for (RunningHandler handler : running) {
			if (handler.isSlow()) { // <2>
				Optional<HandlerStack> stack = this.admin.handlers()
					.stack(handler.queue(), handler.uid(), handler.claim()); // <3>
				stack.ifPresent((found) -> this.orders.report(found.frames().toString()));
				this.admin.handlers().interrupt(handler.queue(), handler.uid(), handler.claim()); // <4>
			}
		}
		// end::running[]
	}

	CommandOutcome changing(String id) {
		// tag::changing[]
		CommandOutcome changed = this.admin.messages()
			.change("reminders", id, MessageChange.none().payload("\"call amy\"").attempts(3).priority(9));
		// end::changing[]
		return changed;
	}

	BulkJob inBulk() {
		// tag::bulk[]
		MessageFilter unreachable = MessageFilter.all().exception("java.net.ConnectException");
		BulkJob job = this.admin.jobs()
			.start("uploads", BulkRequest.of(BulkAction.REDRIVE, unreachable).perSecond(50).startedBy("ann"));
		BulkJob now = this.admin.jobs().find(job.id()).orElse(job); // <1>
		this.admin.jobs().stop(job.id()); // <2>
		// end::bulk[]
		return now;
	}

	RedriveResult tagged() {
		// tag::tagged[]
		SearchPage page = this.admin.messages().findByTag("parcels", "order:7", null, 100); // <1>
		long cancelled = this.admin.messages().cancelByTag("parcels", "order:7"); // <2>
		RedriveResult again = this.admin.deadLetters().redriveByTag("parcels", "customer:amy"); // <3>
		// end::tagged[]
		this.orders.report(cancelled + " cancelled of " + page.messages().size());
		return again;
	}

	QueueInfo queues() {
		// tag::queues[]
		this.admin.control().pause("uploads"); // <1>
		this.admin.control().resume("uploads");
		QueueInfo left = this.admin.control().drain("uploads", Duration.ofMinutes(1)); // <2>
		this.admin.control().reopen("uploads");
		long removed = this.admin.control().purge("uploads", MessageState.DEAD); // <3>
		this.admin.control().delete("uploads"); // <4>
		// end::queues[]
		this.orders.report(removed + " removed");
		return left;
	}

	void container(QueueListenerEndpointRegistry registry) {
		// tag::container[]
		QueueListenerContainer container = registry.getContainer("listening.report");
		container.pause();
		container.resume();
		// end::container[]
	}

	int looking() {
		// tag::looking[]
		QueueInfo info = this.admin.queues().info("exports"); // <1>
		List<ConsumerInfo> consumers = this.admin.queues().consumers("exports"); // <2>
		QueuePage page = this.admin.messages().browse("exports", MessageState.SCHEDULED, 0, 20); // <3>
		// end::looking[]
		return (int) info.ready() + consumers.size() + page.messages().size();
	}

	boolean check() {
		// tag::check[]
		QueueCheck check = this.admin.queues().check("orders");
		boolean sound = check.sound(); // <1>
		List<QueueCheck.Problem> problems = check.problems(); // <2>
		// end::check[]
		return sound && problems.isEmpty();
	}

	String diagnosing() {
		// tag::diagnosing[]
		QueueDiagnosis diagnosis = this.admin.queues().diagnose("exports");
		String answer = diagnosis.summary(); // <1>
		List<QueueFinding> findings = diagnosis.findings(); // <2>
		// end::diagnosing[]
		return answer + findings.size();
	}

	BulkJob calendar() {
		// tag::calendar[]
		QueueCalendar calendar = this.admin.queues()
			.calendar("reminders", QueueCalendar.Span.DAY, ZoneId.systemDefault()); // <1>
		QueueCalendar.Bar fullest = Collections.max(calendar.bars(), Comparator.comparing(QueueCalendar.Bar::due)); // <2>
		MessageFilter theirs = MessageFilter.all()
			.states(MessageState.SCHEDULED)
			.dueAfter(fullest.from())
			.dueBefore(fullest.to()); // <3>
		BulkJob job = this.admin.jobs()
			.start("reminders",
					BulkRequest.of(BulkAction.RESCHEDULE, theirs).due(fullest.from()).spread(Duration.ofMinutes(20))); // <4>
		// end::calendar[]
		return job;
	}

	List<LockInfo> locks(LockAdmin locks) {
		// tag::locks[]
		List<LockInfo> all = locks.locks(); // <1>
		List<LockInfo> now = locks.lock("stock:7"); // <2>
		// end::locks[]
		return now.isEmpty() ? all : now;
	}

}
