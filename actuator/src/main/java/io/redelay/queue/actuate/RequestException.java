package io.redelay.queue.actuate;

import org.jspecify.annotations.Nullable;

/**
 * A request that cannot be carried out, with the error for its response.
 */
final class RequestException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final ErrorView.Kind kind;

	private final @Nullable String parameter;

	private RequestException(ErrorView.Kind kind, @Nullable String parameter, String message) {
		super(message);
		this.kind = kind;
		this.parameter = parameter;
	}

	/**
	 * The value of a parameter cannot be right.
	 */
	static RequestException badParameter(String parameter, String message) {
		return new RequestException(ErrorView.Kind.BAD_PARAMETER, parameter, message);
	}

	static RequestException unknownQueue(String queue) {
		return new RequestException(ErrorView.Kind.UNKNOWN_QUEUE, null, "There is no queue " + ErrorView.quote(queue)
				+ ": nothing was ever sent to it, and no listener consumes it");
	}

	static RequestException unknownTopic(String topic) {
		return new RequestException(ErrorView.Kind.UNKNOWN_QUEUE, null, "There is no topic " + ErrorView.quote(topic)
				+ ": nothing was ever published to it, and no listener consumes it");
	}

	static RequestException unknownMessage(String queue, String id) {
		return new RequestException(ErrorView.Kind.UNKNOWN_MESSAGE, null, "The queue '" + queue + "' has no message "
				+ ErrorView.quote(id) + ": it never was there, is done and not kept, or was removed");
	}

	static RequestException unknownHandler(String queue, String id) {
		return new RequestException(ErrorView.Kind.UNKNOWN_MESSAGE, null, "No handler works on the message "
				+ ErrorView.quote(id) + " of the queue '" + queue + "': it has ended, or waits for a handler");
	}

	static RequestException unknownPath(String message) {
		return new RequestException(ErrorView.Kind.UNKNOWN_PATH, null, message);
	}

	static RequestException forbidden(String message) {
		return new RequestException(ErrorView.Kind.FORBIDDEN, null, message);
	}

	ErrorView toView() {
		return ErrorView.of(this.kind, this.parameter, String.valueOf(getMessage()));
	}

}
