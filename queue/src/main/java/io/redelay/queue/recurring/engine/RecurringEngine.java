package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Uids;
import io.redelay.queue.recurring.InvalidRecurringMessageException;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.MessageConverter;

/**
 * The recurring messages of one server, as this instance sees them.
 *
 * @since 0.1.0
 */
public final class RecurringEngine {

	private final DeclarationReader reader;

	private final Declarations declarations;

	private final RecurringTicks ticks;

	private final RecurringMaintenance care;

	private final RecurringRepository ledger;

	private final RecentCommands recent;

	private final RecurringTemplate template;

	private final Map<String, Declared> declared = new HashMap<>();

	/**
	 * Creates it; nothing is asked of Redis yet.
	 * @param store keeps what recurs
	 * @param codec writes envelopes
	 * @param mapper writes what is kept
	 * @param converter converts payloads
	 * @param reporter reports what is not as planned
	 * @param scheduler the clock, and runs what is due
	 * @param dropAfter how long a recurring message goes on after all instances that
	 * declare it have ended
	 * @param ageing how much earlier a priority has messages of a queue delivered, or
	 * {@code null} for a queue where priorities do not age
	 */
	public RecurringEngine(RecurringStore store, EnvelopeCodec codec, JsonMapper mapper, MessageConverter converter,
			RecurringReporter reporter, Scheduler scheduler, Duration dropAfter,
			Function<String, @Nullable Duration> ageing) {
		TickMessages messages = new TickMessages(codec, mapper, ageing, new Uids());
		this.ledger = new RecurringRepository(store, mapper, messages, reporter);
		this.reader = new DeclarationReader(converter, mapper, messages);
		this.declarations = new Declarations(this.ledger, new LivingDeclarers(store, scheduler), reporter,
				store.instance());
		this.ticks = new RecurringTicks(this.ledger, this.declarations, reporter, scheduler);
		this.care = new RecurringMaintenance(store, this.ledger, this.declarations, this.ticks, reporter, scheduler,
				dropAfter);
		this.recent = new RecentCommands(this.ledger, scheduler);
		this.template = new RecurringTemplate(store, this.ledger, this.declarations, this.reader, messages, this.care,
				this.recent);
	}

	/**
	 * Adds a declaration of the code, before the application has started.
	 * @param declaration what recurs
	 * @param place where it is declared
	 * @throws InvalidRecurringMessageException if it cannot work, or another one has its
	 * name
	 */
	public synchronized void declare(RecurringDeclaration declaration, String place) {
		StoredDeclaration stored = this.reader.read(declaration, place);
		Declared added = new Declared(new RecurringName(declaration.queue(), declaration.name()), stored, place);
		Declared other = this.declared.putIfAbsent(declaration.name(), added);
		if (other != null && !(other.name().equals(added.name()) && other.declaration().equals(stored))) {
			throw new InvalidRecurringMessageException(place,
					"its name '" + declaration.name() + "' is that of another one, which is declared differently: "
							+ other.place() + ", " + other.schedule() + "; this one is " + added.schedule(),
					"Give one of them another name, or remove it", null);
		}
		this.declarations.add(added.name(), stored);
	}

	/**
	 * Returns whether the code declares a recurring message of a queue.
	 * @param queue the queue
	 * @return whether it does
	 */
	boolean declares(String queue) {
		return this.declarations.own().keySet().stream().anyMatch((name) -> name.queue().equals(queue));
	}

	/**
	 * Returns what decides about ticks that were claimed.
	 * @return the admission, the same on each call
	 */
	public TickAdmission ticks() {
		return this.ticks;
	}

	/**
	 * Returns what declares recurring messages and maintains them while the application
	 * runs.
	 * @return the maintenance, the same on each call
	 */
	public RecurringMaintenance care() {
		return this.care;
	}

	/**
	 * Returns what reports the recurring messages that are removed with their queue.
	 * @return the watch, the same on each call
	 */
	public DeleteScript.Watch deletion() {
		return this.ledger;
	}

	/**
	 * Returns the API.
	 * @return the API, the same on each call
	 */
	public RecurringMessages messages() {
		return this.template;
	}

	/**
	 * Repeats commands that Redis has forgotten, as it may have gone back in time.
	 * @param duration how long ago they were given at most
	 */
	public void repeatForgotten(Duration duration) {
		this.recent.repeat(duration);
	}

	private record Declared(RecurringName name, StoredDeclaration declaration, String place) {

		String schedule() {
			return "'" + this.declaration.plainSchedule() + "' on the queue '" + this.name.queue() + "'";
		}

	}

}
