package io.redelay.guide.lookup;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The page of all lines in the log, with what to do about each.
 */
final class LogPage {

	private static final String LATER = "Nothing at once, it is repeated. If the line comes again, look at the reason in it "
			+ "and at Redis.";

	private static final String BEAN = "Repair the bean that the line names. Nothing else is affected.";

	private static final String DEFECT = "Report it, with the log before it: this is a defect of Redelay.";

	private static final String FULL = "Give Redis more memory, or remove what is not needed; see <<tuning>>.";

	/**
	 * What to do about a line whose text has the key; the first one counts.
	 */
	private static final Map<String, String> REMEDIES = new LinkedHashMap<>();

	static {
		remedy("cannot be printed",
				"Repair the exception that the line names: its message or its stack cannot be read.");
		remedy("has stopped, and … message", "Use a group with a name if these messages matter.");
		remedy("QueueGate does not report", "Nothing: the gate is asked every second instead.");
		remedy("returned cannot be cancelled", "Return a future that can be cancelled, or look at the token.");
		remedy("is violated|could not be read\"?$|An observer of calls|again and again failed|"
				+ "whose reply|Events of messages are missing|It cannot be said how", DEFECT);
		remedy("listener to trouble failed",
				"Repair the bean that the line names. Of methods with `@EventListener`, the "
						+ "first that fails keeps the event from the rest.");
		remedy("without spring.application.name", "Set `spring.application.name`; see <<events-trouble>>.");
		remedy("(LockListener|OutboxListener|MessageRetryListener|DuplicateListener|InletListener|SendInterceptor|"
				+ "DeliveryInterceptor|QueueMeter|callback of a CancellationToken|[Ll]istener to|QueueGate failed)",
				BEAN);
		remedy("Redis is full|is not kept beside the message, which is settled", FULL);
		remedy("sets .* which nothing reads|sets a weight|sets a filter",
				"Correct the name in the property, or in the annotation.");
		remedy("sends no more requests", "Do what the line says; see <<wire-versions>>.");
		remedy("embedded Redis", "In production, set the location of your Redis; see <<embedded-redis>>.");
		remedy("may not have been released",
				"Check what another holder may have done. Look at the connection to Redis.");
		remedy("was lost before the end|is lost before it was released",
				"Check what two holders may have done. Set a longer `leaseTime`, or look for pauses; see <<lock-limits>>.");
		remedy("Locks are switched off", "Remove `redelay.lock.enabled=false` unless it is meant.");
		remedy("of the quorum is not available", "Start the server, or repair the way to it.");
		remedy("relay of the outbox failed", "Look at the exception: the table, or the connection to the database.");
		remedy("the queue was deleted, or Redis lost data",
				"See which messages of the bundle are missing, and send them again.");
		remedy("was closed because it had been open", "Close bundles in the code that opens them.");
		remedy("their time to live or their deadline was over",
				"See why they waited; <<diagnosis>> shows it. Redrive those that still matter.");
		remedy("Packed messages (were not (loaded|moved|brought near|looked for)|in the database were not looked after)"
				+ "|Messages of the far future were not packed", LATER);
		remedy("database of cold messages cannot be asked",
				"Look at the exception, and repair the way to the database; see <<cold-messages>>.");
		remedy("The content of .* messages of the queue",
				"Restore the rows, or give the application the outbox's database; see <<cold-messages>>. "
						+ "Or cancel the messages.");
		remedy("it is packed in the chunk|The messages in the chunk",
				"Look at the queue with `QueueAdmin.queues().check`; see <<far-messages>>.");
		remedy("are not packed, as they would not be the same",
				"Nothing is lost: they stay as they are. Report it: it is a defect of Redelay or of the JVM.");
		remedy("What Redis had of the number of packed messages",
				"Nothing. Look for programs that write to Redelay's keys.");
		remedy("No listener consumes", "Compare the queue's name and `redelay.queue.key-prefix` in both applications.");
		remedy("does not go on\"?$|and does not go on", "Look at the exception, and start the job again.");
		remedy("that cannot be read, and is removed|has a note that is removed",
				"Look for an instance of a newer version, and for programs that write to Redelay's keys.");
		remedy("cannot be read, and stays there", "Look at the message with `QueueAdmin`, and delete it.");
		remedy("The lease of the listener",
				"Look for pauses of the JVM and of the network; set a longer `lease-time`.");
		remedy("came too late, and they are delivered again",
				"Nothing if handlers are idempotent. Look for pauses of the JVM and of the network.");
		remedy("wait in the outbox of the queue|wait for it, which is tried again",
				"Reopen or empty the queue that the line names, or raise its `max-length`.");
		remedy("message\\(s\\) were still handled|before it could settle in Redis",
				"Give handlers more time to stop, or let them look at their tokens; see <<shutdown>> and <<stop-signal>>.");
		remedy("no thread handles it",
				"Look for an executor that lost the task. Restart the instance to free the message.");
		remedy("is @Async and returns nothing", "Return a `CompletableFuture`, or leave `@Async` out.");
		remedy("share the queue", "Use a topic, or two queues, if each listener needs each message.");
		remedy("Groups of topics are not registered|cannot be registered, so that",
				"See why Redis does not answer. Until then, messages of the topic may not reach the group.");
		remedy("^Removed ", "Nothing if they are not needed. Otherwise raise the bounds; see <<dead-letter-bounds>>.");
		remedy("event\\(s\\) of messages were dropped",
				"Make the listeners to events faster, or raise `redelay.events.buffer`.");
		remedy("is dead \\(", "Look at the cause, repair it, and redrive the message; see <<dead-letters>>.");
		remedy("is lost: it was acknowledged before",
				"See whether the work must be done by hand; see <<at-most-once>>.");
		remedy("its bundle does not keep", "Return less, or raise the bounds; see <<bundle-results>>.");
		remedy("is done, but", "Return a smaller result that can be converted, or send it elsewhere; see <<results>>.");
		remedy("its handler stopped although",
				"Stop only when the token is cancelled, or name a time; see <<stop-signal>>.");
		remedy("There is no thread for|No other handler of the listener",
				"Raise the limit of threads of the process, or start fewer handlers.");
		remedy("message\\(s\\) are not handled by the listener",
				"See whether the work must be done by hand; see <<at-most-once>>.");
		remedy("could not be forwarded to the queue .* and is kept",
				"Redrive it, or reopen the dead-letter queue that the line names.");
		remedy("of the inlet .* could not be sent", "Correct the program that pushes; see <<inlet>>.");
		remedy("Nothing is taken over", "Do what the reason in the line says; see <<inlet>>.");
		remedy("is not kept: the message was settled", "Report before the message is settled; see <<work-progress>>.");
		remedy("There are more than … queues", "Use one queue with keys, or raise `redelay.metrics.max-queues`.");
		remedy("Only this log reports", "Nothing is to be done beyond what the line before says.");
		remedy("the limits that are set for it hold for each partition",
				"Clear or lower the limits; see <<limits-at-run-time>>.");
		remedy("gets … partitions|has … partitions|are spread over",
				"Give all applications the same number, or spread the keys; see <<partitions>>.");
		remedy("is full, and dropped", "Handle faster, or raise the length; see <<length-limit>>.");
		remedy("What was (to be )?done|is lost, for its caller|committed, but|were not sent, for it is unknown",
				"Do what was lost again by hand. To be safe from this, use <<outbox>>.");
		remedy("as another instance declared later", "Give all listeners of the group the same filter.");
		remedy("was not registered any more", "Replay what the group has missed; see <<topic-replay>>.");
		remedy("has no group", "Start a listener of the topic, or correct its name.");
		remedy("had no consumer for", "Raise `group-expiry`, or start a listener of the group.");
		remedy("Redis has been away", "Repair Redis, or the way to it; see <<redis-away>>.");
		remedy("failed after its|failed after the", "Look at the exception; the message is settled already.");
		remedy("A batch of the listener", "Nothing: its messages are handled one by one. Look at the failure.");
		remedy("is not declared yet",
				"Nothing at once, it is repeated. If data \"cannot be read\", a newer version or an older build wrote it: "
						+ "see <<mistakes-recurring>>.");
		remedy("tried again|were not looked|was not looked|waits for|not looked after", LATER);
	}

	private LogPage() {
	}

	static String write(List<LogLine> lines) {
		Table page = new Table("look-up-log-lines", "All log lines",
				"This page lists each line that Redelay may log at `INFO` or above, with what to do about it. It is made from "
						+ "the code; … stands for what varies. <<observability-logs>> has the meaning by logger.");
		page.begin("2,6,4,4", "Level", "Text", "What to do", "Logger");
		lines.stream()
			.distinct()
			.sorted(Comparator.comparing((line) -> line.text().replaceAll("[^A-Za-z ]", "").strip()))
			.forEach((line) -> page.row(List.of("`" + line.level() + "`", "`+" + line.text() + "+`", remedy(line),
					"`" + line.logger() + "`")));
		page.end();
		return page.toString();
	}

	/**
	 * Returns what to do about a line.
	 * @param line the line
	 * @return what to do, or nothing if there is no entry for a line that warns
	 */
	static String remedy(LogLine line) {
		if (line.level().equals("INFO")) {
			return "Nothing.";
		}
		return REMEDIES.entrySet()
			.stream()
			.filter((remedy) -> Pattern.compile(remedy.getKey()).matcher(line.text()).find())
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse("");
	}

	private static void remedy(String text, String remedy) {
		REMEDIES.put(text, remedy);
	}

}
