package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.function.Supplier;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.scheduling.AnswerLimit;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Turns the result of a request, or its failure, into a response.
 */
final class Responses {

	private static final Duration LONGEST_READ = Duration.ofSeconds(3);

	private Responses() {
	}

	/**
	 * Carries out a request that changes nothing. It waits for no answer of Redis longer
	 * than three seconds: a page that shows old figures has to say so soon.
	 * @return 200 with its result, or an {@link ErrorView}
	 */
	static WebEndpointResponse<Object> read(Supplier<?> request) {
		return of(200, () -> AnswerLimit.within(LONGEST_READ, request));
	}

	/**
	 * Carries out a request.
	 * @return 200 with its result, or an {@link ErrorView}
	 */
	static WebEndpointResponse<Object> of(Supplier<?> request) {
		return of(200, request);
	}

	/**
	 * Carries out a request.
	 * @param status the status if it succeeds
	 */
	static WebEndpointResponse<Object> of(int status, Supplier<?> request) {
		try {
			return new WebEndpointResponse<>(request.get(), status);
		}
		catch (RequestException ex) {
			return error(ex.toView());
		}
		catch (UnknownQueueException ex) {
			return error(ErrorView.of(ErrorView.Kind.UNKNOWN_QUEUE, null, String.valueOf(ex.getMessage())));
		}
		catch (QueueBackendException ex) {
			return error(ErrorView.of(ErrorView.Kind.UNAVAILABLE, null, String.valueOf(ex.getMessage())));
		}
		catch (QueueException ex) {
			return error(ErrorView.of(ErrorView.Kind.CONFLICT, null, String.valueOf(ex.getMessage())));
		}
	}

	private static WebEndpointResponse<Object> error(ErrorView view) {
		return new WebEndpointResponse<>(view, view.status());
	}

}
