package io.redelay.samples.shop.web;

import java.util.Map;
import java.util.TreeMap;

import io.redelay.lock.LockBackendException;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Answers what goes wrong with {@code application/problem+json} (RFC 9457), and names the
 * fields of a bad request.
 */
@RestControllerAdvice
class ProblemHandler extends ResponseEntityExceptionHandler {

	/**
	 * What was to be sent is in the database, and the safety net sends it later; but the
	 * customer must not believe that all is well.
	 */
	@ExceptionHandler
	ProblemDetail handleMessageSend(MessageSendException ex) {
		return unavailable(ex, "The message could not be sent");
	}

	@ExceptionHandler
	ProblemDetail handleQueue(QueueException ex) {
		return unavailable(ex, "The queue does not answer");
	}

	/**
	 * Many want the same at the same time. Nothing was done, so it can be asked for
	 * again.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> handleLockNotAcquired(LockNotAcquiredException ex) {
		return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
			.header(HttpHeaders.RETRY_AFTER, "1")
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.TOO_MANY_REQUESTS, "Too busy, try again"));
	}

	@ExceptionHandler
	ProblemDetail handleLockBackend(LockBackendException ex) {
		return unavailable(ex, "There are no locks at present; nothing was done");
	}

	/**
	 * While Redis is away or overloaded all requests fail alike: the log has a line for
	 * each, and their stack traces only for who wants to see them.
	 */
	private ProblemDetail unavailable(Exception ex, String detail) {
		this.logger.error("Answered with 503: " + ex);
		this.logger.debug("Answered with 503", ex);
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail);
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(MethodArgumentNotValidException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		Map<String, String> errors = new TreeMap<>();
		for (FieldError error : ex.getFieldErrors()) {
			errors.put(error.getField(), String.valueOf(error.getDefaultMessage()));
		}
		return handleExceptionInternal(ex, badRequest(errors), headers, status, request);
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		if (ex.getCause() instanceof JacksonException cause && !cause.getPath().isEmpty()) {
			String field = cause.getPath().get(0).getPropertyName();
			return handleExceptionInternal(ex, badRequest(Map.of(field, cause.getOriginalMessage())), headers, status,
					request);
		}
		return super.handleHttpMessageNotReadable(ex, headers, status, request);
	}

	private static ProblemDetail badRequest(Map<String, String> errors) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST,
				"Not valid: " + String.join(", ", errors.keySet()));
		problem.setProperty("errors", errors);
		return problem;
	}

}
