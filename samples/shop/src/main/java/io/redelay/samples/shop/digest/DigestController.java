package io.redelay.samples.shop.digest;

import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Size;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * News for customers over HTTP.
 */
@RestController
@RequestMapping("/customers/{email}")
class DigestController {

	private final DigestMailing mailing;

	DigestController(DigestMailing mailing) {
		this.mailing = mailing;
	}

	@PostMapping("/news")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void add(@PathVariable @Email @Size(max = 200) String email, @Valid @RequestBody News news) {
		this.mailing.add(email, news);
	}

	@GetMapping("/digests")
	List<Digest> find(@PathVariable String email) {
		return this.mailing.find(email);
	}

}
