package io.redelay.queue.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Records the actions of users through the endpoint: for each request that acts on
 * something, whatever its outcome, a line of the logger {@code io.redelay.audit} and an
 * {@link AuditApplicationEvent}. No value can look like another line or another value.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class AuditTrail {

	private static final Log logger = PlainLog.of("io.redelay.audit");

	private static final int LONGEST = 300;

	private final ApplicationEventPublisher publisher;

	/**
	 * Creates a trail.
	 * @param publisher is given the events
	 */
	public AuditTrail(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	/**
	 * Carries out an action, and records its outcome.
	 * @param what the details of the action, by name; {@code null} values are left out
	 * @param request carries it out
	 * @param outcome describes the result in few words
	 */
	<T> T follow(SecurityContext user, String action, Map<String, @Nullable String> what, Supplier<T> request,
			Function<T, String> outcome) {
		try {
			T result = request.get();
			write(user, action, what, outcome.apply(result));
			return result;
		}
		catch (RuntimeException ex) {
			String why = String.valueOf(ex.getMessage());
			write(user, action, what, (why.startsWith("It is unknown whether ") ? "unknown: " : "refused: ") + why);
			throw ex;
		}
	}

	private void write(SecurityContext user, String action, Map<String, @Nullable String> what, String outcome) {
		String who = who(user);
		Map<String, Object> data = new LinkedHashMap<>();
		StringBuilder line = new StringBuilder("who=").append(quote(who)).append(" action=").append(quote(action));
		what.forEach((name, value) -> {
			if (value != null && !value.isEmpty()) {
				line.append(' ').append(name).append('=').append(quote(value));
				data.put(name, plain(value));
			}
		});
		line.append(" outcome=").append(quote(outcome));
		data.put("outcome", plain(outcome));
		logger.info(line);
		try {
			this.publisher.publishEvent(new AuditApplicationEvent(plain(who),
					"REDELAY_" + plain(action).toUpperCase(Locale.ROOT).replace('-', '_'), data));
		}
		catch (RuntimeException ex) {
			logger.warn("A listener to AuditApplicationEvent failed, which changes nothing for the action", ex);
		}
	}

	/**
	 * Returns the name of the user.
	 * @return the name, {@code anonymous} if the user is not known
	 */
	static String who(SecurityContext user) {
		Principal principal = user.getPrincipal();
		String name = (principal != null) ? principal.getName() : null;
		return (name != null && !name.isBlank()) ? name : "anonymous";
	}

	private static String quote(String value) {
		return "'" + plain(value).replace("\\", "\\\\").replace("'", "\\'") + "'";
	}

	/**
	 * A value without line breaks, other control characters, and characters that change
	 * the direction of text.
	 */
	static String plain(String value) {
		String cut = (value.length() > LONGEST) ? value.substring(0, LONGEST) + "…" : value;
		return cut.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
	}

}
