"""A store of objects on this machine, with as much of S3's protocol as GDAL uses for outputs, and answers that tests decide."""

import http.server
import re
import threading
import urllib.parse


class Store(http.server.ThreadingHTTPServer):
    """`objects`: contents by "/bucket/key". `uploads`: of several parts, unfinished. `answers`: functions of a request that return True
    if they have answered it."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.objects, self.uploads, self.answers = {}, {}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def environment(self):
        return {
            "AWS_S3_ENDPOINT": f"127.0.0.1:{self.server_address[1]}",
            "AWS_HTTPS": "NO",
            "AWS_VIRTUAL_HOSTING": "FALSE",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "here",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer(self):
        store = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        key, query = url.path, urllib.parse.parse_qs(url.query, keep_blank_values=True)
        if any(one(self) for one in list(store.answers)):
            return
        upload = query.get("uploadId", [None])[0]
        if self.command in ("GET", "HEAD") and (
            query.keys() & {"list-type", "prefix", "delimiter", "max-keys"} or key.count("/") < 2
        ):
            self.list(key.strip("/").split("/")[0], query.get("prefix", [""])[0])
        elif self.command in ("GET", "HEAD"):
            self.read(store.objects.get(key))
        elif self.command == "PUT" and upload is not None:
            store.uploads[upload].append(body)
            self.reply(200, ETag='"part"')
        elif self.command == "PUT":
            store.objects[key] = body
            self.reply(200, ETag='"whole"')
        elif self.command == "POST" and "uploads" in query:
            upload = f"upload{len(store.uploads)}"
            store.uploads[upload] = []
            self.reply(
                200,
                f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>".encode(),
            )
        elif self.command == "POST":
            store.objects[key] = b"".join(store.uploads.pop(upload))
            self.reply(200, b"<CompleteMultipartUploadResult/>")
        elif upload is not None:
            store.uploads.pop(upload, None)
            self.reply(204)
        else:
            store.objects.pop(key, None)
            self.reply(204)

    def list(self, bucket, prefix):
        found = {
            key.removeprefix(f"/{bucket}/"): len(data)
            for key, data in self.server.objects.items()
            if key.startswith(f"/{bucket}/{prefix}")
        }
        rows = "".join(
            f"<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>"
            for key, size in found.items()
        )
        self.reply(
            200,
            f'<?xml version="1.0"?><ListBucketResult><Name>{bucket}</Name><Prefix>{prefix}</Prefix><IsTruncated>false</IsTruncated>'
            f"{rows}</ListBucketResult>".encode(),
            Content_Type="application/xml",
        )

    def read(self, data):
        part = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if data is None:
            self.reply(
                404,
                b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>missing</Message></Error>',
                Content_Type="application/xml",
            )
        elif part and self.command == "GET":
            first, last = int(part[1]), min(int(part[2] or len(data)), len(data) - 1)
            self.reply(
                206, data[first : last + 1], Content_Range=f"bytes {first}-{last}/{len(data)}"
            )
        else:
            self.reply(
                200,
                data,
                Content_Length=str(len(data)),
                Last_Modified="Wed, 01 Jan 2020 00:00:00 GMT",
            )

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer
