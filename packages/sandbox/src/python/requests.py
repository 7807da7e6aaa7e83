"""`requests` as most code uses it, over the process's own connections. Written for this runtime; see its documentation."""

import base64
import collections.abc
import datetime
import email.message
import hashlib
import http.client
import http.cookiejar
import io
import json as jsonlib
import mimetypes
import os
import re
import sys
import time
import types
import urllib.parse
import urllib.request

import headwater_http

__version__ = "2.32.0"

REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 30


class RequestException(OSError):
    def __init__(self, *args, request=None, response=None):
        super().__init__(*args)
        self.response = response
        self.request = request if request is not None else getattr(response, "request", None)


class InvalidJSONError(RequestException):
    pass


class JSONDecodeError(InvalidJSONError, jsonlib.JSONDecodeError):
    def __init__(self, message, document, position, **more):
        jsonlib.JSONDecodeError.__init__(self, message, document, position)
        self.request, self.response = more.get("request"), more.get("response")


class HTTPError(RequestException):
    pass


class ConnectionError(RequestException):
    pass


class ProxyError(ConnectionError):
    pass


class SSLError(ConnectionError):
    pass


class Timeout(RequestException):
    pass


class ConnectTimeout(ConnectionError, Timeout):
    pass


class ReadTimeout(Timeout):
    pass


class URLRequired(RequestException):
    pass


class TooManyRedirects(RequestException):
    pass


class MissingSchema(RequestException, ValueError):
    pass


class InvalidSchema(RequestException, ValueError):
    pass


class InvalidURL(RequestException, ValueError):
    pass


class InvalidHeader(RequestException, ValueError):
    pass


class ChunkedEncodingError(RequestException):
    pass


class ContentDecodingError(RequestException):
    pass


class StreamConsumedError(RequestException, TypeError):
    pass


class RetryError(RequestException):
    pass


class CaseInsensitiveDict(collections.abc.MutableMapping):
    def __init__(self, data=None, **more):
        self._store = {}
        self.update(data or {}, **more)

    def __setitem__(self, key, value):
        self._store[key.lower()] = (key, value)

    def __getitem__(self, key):
        return self._store[key.lower()][1]

    def __delitem__(self, key):
        del self._store[key.lower()]

    def __iter__(self):
        return (key for key, _ in self._store.values())

    def __len__(self):
        return len(self._store)

    def lower_items(self):
        return ((key, value) for key, (_, value) in self._store.items())

    def copy(self):
        return CaseInsensitiveDict(self._store.values())

    def __eq__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        return dict(self.lower_items()) == dict(CaseInsensitiveDict(other).lower_items())

    def __repr__(self):
        return repr(dict(self.items()))


class Codes(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


codes = Codes({name.lower(): int(status) for name, status in http.HTTPStatus.__members__.items()})
codes.update({name.upper(): status for name, status in list(codes.items())})
codes.update(okay=200, all_ok=200)


class RequestsCookieJar(http.cookiejar.CookieJar, collections.abc.MutableMapping):
    def set(self, name, value, **more):
        if value is None:
            return self.remove(name)
        cookie = create_cookie(name, value, **more)
        self.set_cookie(cookie)
        return cookie

    def get(self, name, default=None, domain=None, path=None):
        for cookie in http.cookiejar.CookieJar.__iter__(self):
            if cookie.name == name and domain in (None, cookie.domain) and path in (None, cookie.path):
                return cookie.value
        return default

    def remove(self, name):
        for cookie in list(http.cookiejar.CookieJar.__iter__(self)):
            if cookie.name == name:
                self.clear(cookie.domain, cookie.path, cookie.name)

    def __getitem__(self, name):
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name, value):
        self.set(name, value)

    def __delitem__(self, name):
        self.remove(name)

    def __contains__(self, name):
        return self.get(name) is not None

    def keys(self):
        return [cookie.name for cookie in self]

    def values(self):
        return [cookie.value for cookie in self]

    def items(self):
        return [(cookie.name, cookie.value) for cookie in self]

    def get_dict(self, domain=None, path=None):
        return {c.name: c.value for c in self if domain in (None, c.domain) and path in (None, c.path)}

    def update(self, other):
        for each in other if isinstance(other, http.cookiejar.CookieJar) else (other or {}).items():
            if isinstance(each, http.cookiejar.Cookie):
                self.set_cookie(each)
            else:
                self.set(*each)

    def copy(self):
        made = RequestsCookieJar()
        made.update(self)
        return made


def create_cookie(name, value, domain="", path="/", secure=False, expires=None, **more):
    return http.cookiejar.Cookie(
        0, name, value, None, False, domain, bool(domain), domain.startswith("."), path, bool(path), secure, expires,
        expires is None, None, None, {"HttpOnly": None}, False,
    )


def cookiejar_from_dict(cookies, cookiejar=None, overwrite=True):
    jar = RequestsCookieJar() if cookiejar is None else cookiejar
    jar.update(cookies or {})
    return jar


def dict_from_cookiejar(jar):
    return {cookie.name: cookie.value for cookie in jar}


class AuthBase:
    def __call__(self, request):
        raise NotImplementedError("Auth hooks must be callable.")


def _basic_auth_str(username, password):
    def encoded(value):
        return value if isinstance(value, bytes) else str(value).encode("latin1")

    return "Basic " + base64.b64encode(encoded(username) + b":" + encoded(password)).decode()


class HTTPBasicAuth(AuthBase):
    def __init__(self, username, password):
        self.username, self.password = username, password

    def __call__(self, request):
        request.headers["Authorization"] = _basic_auth_str(self.username, self.password)
        return request


class HTTPProxyAuth(HTTPBasicAuth):
    def __call__(self, request):
        request.headers["Proxy-Authorization"] = _basic_auth_str(self.username, self.password)
        return request


class HTTPDigestAuth(AuthBase):
    """Answers the challenge of a server, with MD5 or SHA-256 and `auth`."""

    def __init__(self, username, password):
        self.username, self.password = username, password
        self.count = 0

    def __call__(self, request):
        return request

    def answer(self, request, response):
        given = response.headers.get("www-authenticate", "")
        if response.status_code != 401 or not given.lower().startswith("digest "):
            return False
        challenge = urllib.request.parse_keqv_list(urllib.request.parse_http_list(given[7:]))
        algorithm = challenge.get("algorithm", "MD5").upper()
        digest = hashlib.sha256 if algorithm.startswith("SHA-256") else hashlib.md5

        def hashed(text):
            return digest(text.encode()).hexdigest()

        parts = urllib.parse.urlsplit(request.url)
        uri = parts.path + (f"?{parts.query}" if parts.query else "")
        realm, nonce = challenge.get("realm", ""), challenge.get("nonce", "")
        self.count += 1
        cnonce, count = os.urandom(8).hex(), f"{self.count:08x}"
        first = hashed(f"{self.username}:{realm}:{self.password}")
        if algorithm.endswith("-SESS"):
            first = hashed(f"{first}:{nonce}:{cnonce}")
        second = hashed(f"{request.method}:{uri}")
        has_quality = "auth" in challenge.get("qop", "").split(",")
        between = f"{nonce}:{count}:{cnonce}:auth" if has_quality else nonce
        told = {
            "username": self.username, "realm": realm, "nonce": nonce, "uri": uri,
            "response": hashed(f"{first}:{between}:{second}"),
        }
        if "opaque" in challenge:
            told["opaque"] = challenge["opaque"]
        text = ", ".join(f'{name}="{value}"' for name, value in told.items()) + f", algorithm={algorithm}"
        if has_quality:
            text += f', qop=auth, nc={count}, cnonce="{cnonce}"'
        request.headers["Authorization"] = f"Digest {text}"
        return True


def _pairs(given):
    """Names with values: of an object, or of a list of pairs. A list as a value is several of the name."""
    if given is None:
        return []
    found = []
    for name, value in given.items() if hasattr(given, "items") else given:
        for each in value if isinstance(value, (list, tuple, set)) else [value]:
            if each is not None:
                found.append((name, each if isinstance(each, bytes) else str(each)))
    return found


def _bytes(value):
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, collections.abc.Iterable):
        return b"".join(_bytes(each) for each in value)
    return str(value).encode()


def _quoted(text):
    return str(text).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _multipart(fields, files):
    boundary = os.urandom(16).hex()
    parts = []

    def add(disposition, content, kind=None, headers=None):
        lines = [f"Content-Disposition: form-data; {disposition}"]
        if kind is not None:
            lines.append(f"Content-Type: {kind}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        parts.append(f"--{boundary}\r\n".encode() + "\r\n".join(lines).encode() + b"\r\n\r\n" + content + b"\r\n")

    for name, value in _pairs(fields):
        add(f'name="{_quoted(name)}"', _bytes(value))
    for name, given in files.items() if hasattr(files, "items") else files:
        filename, content, kind, headers = None, given, None, None
        if isinstance(given, (tuple, list)):
            filename, content, kind, headers = (*given, None, None)[:4]
        else:
            filename = os.path.basename(getattr(given, "name", "") or "") or name
        shown = "" if filename is None else f'; filename="{_quoted(filename)}"'
        add(f'name="{_quoted(name)}"{shown}', _bytes(content), kind, headers)
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class Request:
    def __init__(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None, hooks=None, json=None):
        self.method, self.url, self.headers, self.files, self.data = method, url, headers or {}, files or [], data
        self.params, self.auth, self.cookies, self.json, self.hooks = params, auth, cookies, json, hooks or {}

    def prepare(self):
        return Session().prepare_request(self)


class PreparedRequest:
    method = url = headers = body = None

    def __init__(self):
        self._cookies = None
        self.hooks = {"response": []}

    def prepare(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None, hooks=None, json=None):
        self.method = (method or "GET").upper()
        self.prepare_url(url, params)
        self.headers = CaseInsensitiveDict()
        for name, value in (headers or {}).items():
            if value is not None:
                self.headers[_text(name)] = _header(name, value)
        self.prepare_body(data, files, json)
        jar = cookies if isinstance(cookies, http.cookiejar.CookieJar) else cookiejar_from_dict(cookies)
        self.prepare_cookies(jar)
        self.prepare_auth(auth)
        self.hooks = {"response": _hooks(hooks)}

    def prepare_url(self, url, params=None):
        if url is None or str(url).strip() == "":
            raise MissingSchema(f"Invalid URL {url!r}: No URL supplied")
        text = (url.decode() if isinstance(url, bytes) else str(url)).lstrip()
        try:
            parts = urllib.parse.urlsplit(text)
            parts.port
        except ValueError as error:
            raise InvalidURL(f"Invalid URL {text!r}: {error}") from None
        if not parts.scheme:
            raise MissingSchema(f"Invalid URL {text!r}: No scheme supplied. Perhaps you meant https://{text}?")
        if parts.scheme.lower() not in ("http", "https"):
            raise InvalidSchema(f"No connection adapters were found for {text!r}")
        if not parts.hostname:
            raise InvalidURL(f"Invalid URL {text!r}: No host supplied")
        more = params.decode() if isinstance(params, bytes) else params
        more = more if isinstance(more, str) else urllib.parse.urlencode(_pairs(more))
        query = "&".join(part for part in [parts.query, more] if part)
        safe = "!#$%&'()*+,/:;=?@[]~"
        self.url = urllib.parse.urlunsplit((
            parts.scheme, parts.netloc, urllib.parse.quote(parts.path or "/", safe=safe), urllib.parse.quote(query, safe=safe), parts.fragment,
        ))

    def prepare_body(self, data, files, json=None):
        kind, body = None, None
        if files:
            body, kind = _multipart(data if not isinstance(data, (str, bytes)) else None, files)
        elif data is not None and data != {} and data != [] and data != "" and data != b"":
            if isinstance(data, (str, bytes, bytearray)) or hasattr(data, "read"):
                body = _bytes(data)
                kind = "application/x-www-form-urlencoded" if isinstance(data, str) else None
            elif isinstance(data, (collections.abc.Mapping, list, tuple)):
                body = urllib.parse.urlencode(_pairs(data)).encode()
                kind = "application/x-www-form-urlencoded"
            else:
                body = _bytes(data)
        elif json is not None:
            try:
                body = jsonlib.dumps(json, allow_nan=False).encode()
            except ValueError as error:
                raise InvalidJSONError(error, request=self) from None
            kind = "application/json"
        self.body = body
        if kind is not None and "content-type" not in self.headers:
            self.headers["Content-Type"] = kind
        if body is not None:
            self.headers["Content-Length"] = str(len(body))
        elif self.method not in ("GET", "HEAD"):
            self.headers["Content-Length"] = "0"

    def prepare_cookies(self, jar):
        self._cookies = jar
        asked = urllib.request.Request(self.url)
        jar.add_cookie_header(asked)
        # A cookie that was given without a domain goes to the host that is asked.
        own = [f"{cookie.name}={cookie.value}" for cookie in http.cookiejar.CookieJar.__iter__(jar) if cookie.domain == ""]
        found = [text for text in [asked.get_header("Cookie"), "; ".join(own)] if text]
        if found and "cookie" not in self.headers:
            self.headers["Cookie"] = "; ".join(found)

    def prepare_auth(self, auth):
        if auth is None:
            parts = urllib.parse.urlsplit(self.url)
            if parts.username is None:
                return
            auth = (urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
        if isinstance(auth, tuple) and len(auth) == 2:
            auth = HTTPBasicAuth(*auth)
        made = auth(self)
        if isinstance(made, PreparedRequest):
            self.__dict__.update(made.__dict__)
        self._auth = auth

    def copy(self):
        made = PreparedRequest()
        made.__dict__.update(self.__dict__)
        made.headers = self.headers.copy()
        return made

    @property
    def path_url(self):
        parts = urllib.parse.urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def __repr__(self):
        return f"<PreparedRequest [{self.method}]>"


def _text(value):
    return value.decode("latin1") if isinstance(value, bytes) else str(value)


def _header(name, value):
    if not isinstance(value, (str, bytes)):
        raise InvalidHeader(f"Header part ({value!r}) from ({name!r}, {value!r}) must be of type str or bytes, not {type(value)}")
    text = _text(value)
    if re.search(r"[\r\n]", text):
        raise InvalidHeader(f"Invalid leading whitespace, reserved character(s), or return character(s) in header value: {text!r}")
    return text


def _hooks(hooks):
    found = (hooks or {}).get("response", [])
    return list(found) if isinstance(found, (list, tuple)) else [found]


class Response:
    def __init__(self):
        self._content = b""
        self._position = 0
        self.status_code, self.reason, self.url, self.encoding = None, None, None, None
        self.headers, self.history, self.request = CaseInsensitiveDict(), [], None
        self.cookies, self.elapsed = RequestsCookieJar(), datetime.timedelta(0)

    @property
    def content(self):
        return self._content

    @property
    def raw(self):
        return io.BytesIO(self._content)

    @property
    def ok(self):
        return self.status_code < 400

    @property
    def is_redirect(self):
        return "location" in self.headers and self.status_code in REDIRECTS

    @property
    def is_permanent_redirect(self):
        return "location" in self.headers and self.status_code in (301, 308)

    @property
    def apparent_encoding(self):
        try:
            self._content.decode("utf-8")
            return "utf-8"
        except UnicodeDecodeError:
            return "latin-1"

    @property
    def text(self):
        if not self._content:
            return ""
        try:
            return self._content.decode(self.encoding or self.apparent_encoding, errors="replace")
        except LookupError:
            return self._content.decode("utf-8", errors="replace")

    def json(self, **options):
        try:
            # JSON is UTF-8 whatever its type says.
            text = self._content.decode("utf-8") if self.encoding is None else self.text
            return jsonlib.loads(text, **options)
        except jsonlib.JSONDecodeError as error:
            raise JSONDecodeError(error.msg, error.doc, error.pos, response=self) from None

    @property
    def links(self):
        found = {}
        for part in re.split(r", *<", self.headers.get("link", "")):
            target, *params = part.strip("<> ").split(";")
            link = {"url": target.strip("<> '\"")}
            for param in params:
                name, _, value = param.partition("=")
                link[name.strip()] = value.strip(" '\"")
            if link["url"]:
                found[link.get("rel") or link["url"]] = link
        return found

    def iter_content(self, chunk_size=1, decode_unicode=False):
        size = chunk_size or len(self._content) or 1
        for start in range(0, len(self._content), size):
            chunk = self._content[start:start + size]
            yield chunk.decode(self.encoding or "utf-8", errors="replace") if decode_unicode else chunk

    def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
        content = self.text if decode_unicode else self._content
        yield from content.split(delimiter) if delimiter else content.splitlines()

    def raise_for_status(self):
        kind = "Client" if 400 <= self.status_code < 500 else "Server" if 500 <= self.status_code < 600 else None
        if kind is not None:
            raise HTTPError(f"{self.status_code} {kind} Error: {self.reason} for url: {self.url}", response=self)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __bool__(self):
        return self.ok

    def __iter__(self):
        return self.iter_content(128)

    def __repr__(self):
        return f"<Response [{self.status_code}]>"


def _encoding_of(headers):
    message = email.message.Message()
    message["content-type"] = headers.get("content-type", "")
    charset = message.get_content_charset()
    if charset is not None:
        return charset
    return "ISO-8859-1" if message.get_content_maintype() == "text" and "content-type" in headers else None


def _seconds(timeout):
    given = [each for each in (timeout if isinstance(timeout, (tuple, list)) else [timeout]) if each is not None]
    return sum(given) if given else None


def _send_once(request, timeout):
    started = time.monotonic()
    parts = urllib.parse.urlsplit(request.url)
    url = urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], *parts[2:]))
    try:
        answer = headwater_http.exchange(request.method, url, request.headers.items(), request.body, _seconds(timeout))
    except headwater_http.Failed as failure:
        kinds = {"timeout": ReadTimeout, "tls": SSLError, "url": InvalidURL, "connection": ConnectionError}
        raise kinds[failure.kind](f"{failure} for url: {request.url}", request=request) from None
    response = Response()
    response.status_code, response.reason = answer.status, answer.reason
    response.request, response.url = request, request.url
    for name, value in answer.headers.items():
        before = response.headers.get(name)
        response.headers[name] = value if before is None else f"{before}, {value}"
    response.encoding = _encoding_of(response.headers)
    response._content = answer.body
    response.elapsed = datetime.timedelta(seconds=time.monotonic() - started)
    answered = types.SimpleNamespace(info=lambda: answer.headers)
    response.cookies.extract_cookies(answered, urllib.request.Request(request.url))
    return response


class Retry:
    """How often a request is made again, and after which answers."""

    DEFAULT_ALLOWED_METHODS = frozenset(["HEAD", "GET", "PUT", "DELETE", "OPTIONS", "TRACE"])

    def __init__(
        self, total=10, connect=None, read=None, redirect=None, status=None, other=None, allowed_methods=DEFAULT_ALLOWED_METHODS,
        status_forcelist=None, backoff_factor=0, raise_on_status=True, respect_retry_after_header=True, backoff_max=120, **more,
    ):
        counts = [each for each in (total, connect, read, status) if each is not None and each is not False]
        self.total = min(counts) if counts else 0
        self.allowed_methods = more.get("method_whitelist", allowed_methods)
        self.status_forcelist, self.backoff_factor, self.backoff_max = set(status_forcelist or []), backoff_factor, backoff_max
        self.raise_on_status, self.respect_retry_after_header = raise_on_status, respect_retry_after_header

    def allows(self, method):
        return not self.allowed_methods or method in {each.upper() for each in self.allowed_methods}

    def pause(self, tries, response):
        after = response.headers.get("retry-after", "") if response is not None and self.respect_retry_after_header else ""
        if after.isdigit():
            return int(after)
        return min(self.backoff_max, self.backoff_factor * 2 ** (tries - 1)) if tries > 1 else 0


class HTTPAdapter:
    def __init__(self, pool_connections=10, pool_maxsize=10, max_retries=0, pool_block=False):
        self.max_retries = max_retries if isinstance(max_retries, Retry) else Retry(int(max_retries or 0), status_forcelist=[])

    def send(self, request, stream=False, timeout=None, verify=True, cert=None, proxies=None):
        retry = self.max_retries
        tries = 0
        while True:
            response, failure = None, None
            try:
                response = _send_once(request, timeout)
                if response.status_code not in retry.status_forcelist or not retry.allows(request.method):
                    return response
            except (ConnectionError, Timeout) as error:
                failure = error
            if tries >= retry.total or not retry.allows(request.method):
                if failure is not None:
                    raise failure
                if retry.raise_on_status:
                    raise RetryError(f"too many {response.status_code} error responses for url: {request.url}", request=request, response=response)
                return response
            tries += 1
            time.sleep(retry.pause(tries, response))

    def close(self):
        pass


def default_headers():
    return CaseInsensitiveDict({
        "User-Agent": f"python-requests/{__version__}", "Accept-Encoding": "gzip, deflate", "Accept": "*/*", "Connection": "keep-alive",
    })


class Session:
    def __init__(self):
        self.headers, self.auth, self.params, self.proxies = default_headers(), None, {}, {}
        self.verify, self.cert, self.stream, self.trust_env, self.max_redirects = True, None, False, True, MOST_REDIRECTS
        self.cookies, self.hooks = RequestsCookieJar(), {"response": []}
        self.adapters = {}
        self.mount("https://", HTTPAdapter())
        self.mount("http://", HTTPAdapter())

    def mount(self, prefix, adapter):
        self.adapters[prefix] = adapter

    def get_adapter(self, url):
        found = [prefix for prefix in self.adapters if url.lower().startswith(prefix.lower())]
        if not found:
            raise InvalidSchema(f"No connection adapters were found for {url!r}")
        return self.adapters[max(found, key=len)]

    def prepare_request(self, request):
        jar = self.cookies.copy()
        jar.update(request.cookies if request.cookies is not None else {})
        headers = self.headers.copy()
        for name, value in (request.headers or {}).items():
            headers[_text(name)] = value
        made = PreparedRequest()
        params = request.params
        if self.params and not isinstance(params, (str, bytes)):
            params = _pairs(self.params) + _pairs(params)
        made.prepare(
            request.method, request.url, headers, request.files, request.data, params,
            request.auth if request.auth is not None else self.auth, jar,
            {"response": self.hooks["response"] + _hooks(request.hooks)}, request.json,
        )
        return made

    def request(
        self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None, timeout=None, allow_redirects=True,
        proxies=None, hooks=None, stream=None, verify=None, cert=None, json=None,
    ):
        asked = Request(method, url, headers, files, data, params, auth, cookies, hooks, json)
        return self.send(self.prepare_request(asked), timeout=timeout, allow_redirects=allow_redirects)

    def send(self, request, timeout=None, allow_redirects=True, **more):
        response = self._told(self.get_adapter(request.url).send(request, timeout=timeout))
        auth = getattr(request, "_auth", None)
        if isinstance(auth, HTTPDigestAuth):
            again = request.copy()
            if auth.answer(again, response):
                response = self._told(self.get_adapter(again.url).send(again, timeout=timeout))
        history = []
        while allow_redirects and response.is_redirect:
            if len(history) >= self.max_redirects:
                raise TooManyRedirects(f"Exceeded {self.max_redirects} redirects.", response=response)
            history.append(response)
            response = self._told(self.get_adapter(request.url).send(self._next(response), timeout=timeout))
        response.history = history
        for hook in request.hooks["response"]:
            changed = hook(response)
            response = response if changed is None else changed
        return response

    def _told(self, response):
        self.cookies.update(response.cookies)
        return response

    def _next(self, response):
        """The request to which an answer leads."""
        request = response.request.copy()
        target = urllib.parse.urljoin(response.url, response.headers["location"])
        before, after = (urllib.parse.urlsplit(url) for url in (request.url, target))
        fragment = after.fragment or before.fragment
        status = response.status_code
        is_moved_post = status in (301, 302) and request.method == "POST"
        if (status == 303 and request.method != "HEAD") or (status == 302 and request.method != "HEAD") or is_moved_post:
            request.method = "GET"
        if status not in (307, 308):
            request.body = None
            for name in ("Content-Length", "Content-Type", "Transfer-Encoding"):
                request.headers.pop(name, None)
        if (before.scheme, before.netloc) != (after.scheme, after.netloc):
            request.headers.pop("Authorization", None)
        request.headers.pop("Cookie", None)
        request.prepare_url(urllib.parse.urlunsplit((*after[:4], fragment)))
        jar = self.cookies.copy()
        jar.update(response.cookies)
        request.prepare_cookies(jar)
        return request

    def get(self, url, **more):
        return self.request("GET", url, **more)

    def options(self, url, **more):
        return self.request("OPTIONS", url, **more)

    def head(self, url, **more):
        return self.request("HEAD", url, **{"allow_redirects": False, **more})

    def post(self, url, data=None, json=None, **more):
        return self.request("POST", url, data=data, json=json, **more)

    def put(self, url, data=None, **more):
        return self.request("PUT", url, data=data, **more)

    def patch(self, url, data=None, **more):
        return self.request("PATCH", url, data=data, **more)

    def delete(self, url, **more):
        return self.request("DELETE", url, **more)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def session():
    return Session()


def request(method, url, **more):
    return Session().request(method, url, **more)


def get(url, params=None, **more):
    return request("GET", url, params=params, **more)


def options(url, **more):
    return request("OPTIONS", url, **more)


def head(url, **more):
    return request("HEAD", url, **{"allow_redirects": False, **more})


def post(url, data=None, json=None, **more):
    return request("POST", url, data=data, json=json, **more)


def put(url, data=None, **more):
    return request("PUT", url, data=data, **more)


def patch(url, data=None, **more):
    return request("PATCH", url, data=data, **more)


def delete(url, **more):
    return request("DELETE", url, **more)


def _module(name, members):
    made = types.ModuleType(name)
    for member in members:
        setattr(made, member if isinstance(member, str) else member.__name__, globals()[member] if isinstance(member, str) else member)
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, made)
    return made


def _install():
    this = sys.modules[__name__]
    this.__path__ = []
    failures = [name for name, value in list(globals().items()) if isinstance(value, type) and issubclass(value, RequestException)]
    _module("requests.exceptions", failures)
    _module("requests.structures", ["CaseInsensitiveDict"])
    _module("requests.auth", ["AuthBase", "HTTPBasicAuth", "HTTPProxyAuth", "HTTPDigestAuth", "_basic_auth_str"])
    _module("requests.adapters", ["HTTPAdapter", "Retry"])
    _module("requests.models", ["Request", "PreparedRequest", "Response"])
    _module("requests.sessions", ["Session", "session"])
    _module("requests.status_codes", ["codes"])
    _module("requests.cookies", ["RequestsCookieJar", "create_cookie", "cookiejar_from_dict"])
    _module("requests.api", ["request", "get", "options", "head", "post", "put", "patch", "delete"])
    utils = _module("requests.utils", ["dict_from_cookiejar", "cookiejar_from_dict", "default_headers"])
    utils.quote, utils.unquote, utils.urlparse = urllib.parse.quote, urllib.parse.unquote, urllib.parse.urlparse
    compat = _module("requests.compat", [])
    for name in ("quote", "unquote", "quote_plus", "urlencode", "urljoin", "urlparse", "urlsplit", "urlunparse"):
        setattr(compat, name, getattr(urllib.parse, name))
    # What sessions are set up with to try again.
    urllib3 = _module("urllib3", ["Retry"])
    urllib3.__path__ = []
    urllib3.disable_warnings = lambda *_: None
    warnings = _module("urllib3.exceptions", [])
    warnings.InsecureRequestWarning = type("InsecureRequestWarning", (Warning,), {})
    util = _module("urllib3.util", ["Retry"])
    util.__path__ = []
    _module("urllib3.util.retry", ["Retry"])
    packages = _module("requests.packages", [])
    packages.__path__, packages.urllib3 = [], urllib3
    sys.modules["requests.packages.urllib3"] = urllib3
    sys.modules["requests.packages.urllib3.exceptions"] = warnings
    sys.modules["requests.packages.urllib3.util"] = util
    sys.modules["requests.packages.urllib3.util.retry"] = sys.modules["urllib3.util.retry"]


_install()
