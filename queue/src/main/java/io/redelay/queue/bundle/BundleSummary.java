package io.redelay.queue.bundle;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.redelay.queue.PayloadConversionException;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

import org.springframework.core.ParameterizedTypeReference;

/**
 * What became of the messages of a bundle: the payload of its callback. The counts make
 * up the total. A dead message has ended: when it is redriven, it is a new message
 * outside the bundle.
 *
 * @param queue the queue of the callback
 * @param id the id of the bundle
 * @param openedAtMillis when it was opened, by the clock of Redis, in milliseconds since
 * 1970
 * @param endedAtMillis when its last message ended
 * @param timedOut whether it was closed because it had been open for too long
 * @param total how many messages were added
 * @param acknowledged how many were handled
 * @param dead how many went to the dead messages, among them those that expired and are
 * kept there
 * @param cancelled how many were cancelled
 * @param purged how many were removed by a purge
 * @param expired how many were dropped because their time to live was over
 * @param dropped how many were dropped because their queue was full
 * @param replaced how many another message replaced, with the same key to deduplicate by
 * @param duplicate how many were not added to their queue, because another message had
 * their id or came first with their key
 * @param unaccounted how many ended in an unknown way, because their queue was deleted or
 * Redis lost data
 * @param deaths the first 100 deaths, or as many as fit in 64 KB
 * @param results what the handlers returned, if the bundle keeps that; see
 * {@link BundleCallback#keepResults()}
 * @since 0.1.0
 */
@JsonNaming(PropertyNamingStrategies.LowerCamelCaseStrategy.class) // as Redis writes it
public record BundleSummary(String queue, String id, long openedAtMillis, long endedAtMillis, boolean timedOut,
		int total, int acknowledged, int dead, int cancelled, int purged, int expired, int dropped, int replaced,
		int duplicate, int unaccounted, List<BundleDeath> deaths, BundleResults results) {

	/**
	 * Copies the list.
	 */
	public BundleSummary {
		deaths = List.copyOf(deaths);
		results = Objects.requireNonNullElse(results, BundleResults.NONE); // in no JSON
	}

	/**
	 * The same summary with other results.
	 * @param results the results
	 * @return the summary
	 */
	public BundleSummary withResults(BundleResults results) {
		return new BundleSummary(this.queue, this.id, this.openedAtMillis, this.endedAtMillis, this.timedOut,
				this.total, this.acknowledged, this.dead, this.cancelled, this.purged, this.expired, this.dropped,
				this.replaced, this.duplicate, this.unaccounted, this.deaths, results);
	}

	/**
	 * Converts what the handler of a message returned.
	 * @param id the id of the message
	 * @param type the type of the result
	 * @param <T> the type of the result
	 * @return the result; nothing if none is kept: the message was not handled, its
	 * handler returned nothing, or the result was left out
	 * @throws PayloadConversionException if it does not fit the type
	 * @throws IllegalStateException if messages of this id in several queues have one:
	 * see {@link BundleResults#kept()} then
	 */
	public <T> Optional<T> result(String id, Class<T> type) {
		return result(id, ParameterizedTypeReference.<T>forType(type));
	}

	/**
	 * Converts what the handler of a message returned.
	 * @param id the id of the message
	 * @param type the type of the result
	 * @param <T> the type of the result
	 * @return the result, see {@link #result(String, Class)}
	 */
	public <T> Optional<T> result(String id, ParameterizedTypeReference<T> type) {
		return this.results.find(id, type);
	}

	/**
	 * Converts what the handlers of all messages returned.
	 * @param type the type of the results
	 * @param <T> the type of the results
	 * @return the results by the ids of the messages, in the order in which they came
	 * @throws PayloadConversionException if one does not fit the type
	 * @throws IllegalStateException if messages of one id in several queues have some:
	 * see {@link BundleResults#kept()} then
	 */
	public <T> Map<String, T> results(Class<T> type) {
		return results(ParameterizedTypeReference.<T>forType(type));
	}

	/**
	 * Converts what the handlers of all messages returned.
	 * @param type the type of the results
	 * @param <T> the type of the results
	 * @return the results, see {@link #results(Class)}
	 */
	public <T> Map<String, T> results(ParameterizedTypeReference<T> type) {
		return this.results.all(type);
	}

	/**
	 * When the bundle was opened, by the clock of Redis.
	 * @return the time
	 */
	public Instant openedAt() {
		return Instant.ofEpochMilli(this.openedAtMillis);
	}

	/**
	 * When the last message of the bundle ended, by the clock of Redis.
	 * @return the time
	 */
	public Instant endedAt() {
		return Instant.ofEpochMilli(this.endedAtMillis);
	}

	/**
	 * Whether all messages were handled.
	 * @return {@code true} if none ended otherwise
	 */
	public boolean allAcknowledged() {
		return this.acknowledged == this.total;
	}

}
