package io.redelay.samples.shop.web;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * There is no such thing: 404.
 */
public class NotFoundException extends ErrorResponseException {

	public NotFoundException(String what, String id) {
		super(HttpStatus.NOT_FOUND,
				ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no %s '%s'".formatted(what, id)),
				null);
	}

}
