package io.redelay.queue.actuate;

import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The response to a request that was not carried out.
 *
 * @param status the status of the response
 * @param error the kind of error
 * @param parameter the parameter that was wrong, if one was
 * @param message a description of the problem
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ErrorView(int status, String error, @Nullable String parameter, String message) {

	/**
	 * How many characters of a value from a request are repeated in a message.
	 */
	private static final int QUOTED = 100;

	static ErrorView of(Kind kind, @Nullable String parameter, String message) {
		return new ErrorView(kind.status, kind.name().toLowerCase(Locale.ROOT).replace('_', '-'), parameter, message);
	}

	/**
	 * Quotes a value from a request, without control characters, and cut.
	 */
	static String quote(String value) {
		String plain = value.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
		return "'" + ((plain.length() > QUOTED) ? plain.substring(0, QUOTED) + "…" : plain) + "'";
	}

	/**
	 * The kinds of errors.
	 */
	enum Kind {

		UNKNOWN_QUEUE(404), UNKNOWN_MESSAGE(404), UNKNOWN_PATH(404), BAD_PARAMETER(400), CONFLICT(409), FORBIDDEN(403),
		UNAVAILABLE(503);

		private final int status;

		Kind(int status) {
			this.status = status;
		}

	}

}
