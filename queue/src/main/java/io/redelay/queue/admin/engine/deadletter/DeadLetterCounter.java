package io.redelay.queue.admin.engine.deadletter;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import org.jspecify.annotations.Nullable;

/**
 * Counts the dead messages of a queue by cause, without reading their bodies.
 *
 * @since 0.1.0
 */
public record DeadLetterCounter(DeadLetterReader reader) {

	/**
	 * How many causes are distinguished by their text at most; further ones are counted
	 * by reason and type only.
	 */
	private static final int MAX_CAUSES = 100;

	/**
	 * Counts them.
	 * @param most how many, the last ones to die
	 * @return the most frequent cause first
	 */
	public DeadLetterCauses count(List<String> partitions, int most) {
		Map<Cause, DeadLetterCount> counts = new LinkedHashMap<>();
		long[] visited = new long[1];
		this.reader.visit(partitions, (partition, stored, death) -> {
			visited[0]++;
			if (visited[0] > most) {
				return false;
			}
			Cause full = Cause.of(death);
			Cause cause = (counts.size() < MAX_CAUSES || counts.containsKey(full)) ? full : full.withoutText();
			counts.merge(cause,
					new DeadLetterCount(cause.reason(), cause.exception(), (death != null) ? death.message() : null, 1),
					(known, another) -> new DeadLetterCount(known.reason(), known.exception(), known.message(),
							known.count() + 1));
			return true;
		});
		return new DeadLetterCauses(
				counts.values().stream().sorted(Comparator.comparingLong(DeadLetterCount::count).reversed()).toList(),
				Math.min(visited[0], most), visited[0] <= most);
	}

	/**
	 * The key of a cause. Exceptions of handlers are distinguished by type only, because
	 * their text may name the message; failed conversions and rejections also by text,
	 * with numbers replaced.
	 */
	private record Cause(@Nullable DeathReason reason, @Nullable String exception, @Nullable String text) {

		static Cause of(@Nullable FailedAttempt death) {
			if (death == null) {
				return new Cause(null, null, null);
			}
			boolean byText = death.reason() == DeathReason.CONVERSION_FAILED || death.reason() == DeathReason.REJECTED
					|| death.reason() == DeathReason.BURIED || death.reason() == DeathReason.REFUSED;
			String text = death.message();
			return new Cause(death.reason(), death.exception(),
					(byText && text != null) ? text.replaceAll("\\d+", "#") : null);
		}

		Cause withoutText() {
			return new Cause(this.reason, this.exception, null);
		}

	}

}
